"""``graph-capture completion``: a script that lets a shell complete commands and options."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, NamedTuple

from capture.cli_errors import ExitCode
from capture.cli_parser import parser

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from capture.cli_console import Console

_BASH = """\
_graph_capture() {{
  local current="${{COMP_WORDS[COMP_CWORD]}}" previous="${{COMP_WORDS[COMP_CWORD-1]}}"
  local command="" options="" values="" word
  for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
    case "$word" in
      {names}) command="$word"; break ;;
    esac
  done
  case "$command" in
{options}
  esac
  case "$command $previous" in
{values}
  esac
  if [[ -n "$values" ]]; then
    COMPREPLY=( $(compgen -W "$values" -- "$current") )
  elif [[ "$current" == -* ]]; then
    COMPREPLY=( $(compgen -W "$options" -- "$current") )
  elif [[ -z "$command" ]]; then
    COMPREPLY=( $(compgen -W "{commands}" -- "$current") )
  else
    COMPREPLY=( $(compgen -f -- "$current") )
  fi
}}
complete -o filenames -F _graph_capture graph-capture
"""
_ZSH = """\
#compdef graph-capture
_graph_capture() {{
  local state line
  local -a commands
  commands=(
{commands}
  )
  _arguments -C {options} '1:command:->command' '*::word:->words'
  case "$state" in
    command) _describe command commands ;;
    words)
      case "$line[1]" in
{cases}
      esac ;;
  esac
}}
if (( ! $+functions[compdef] )); then autoload -Uz compinit && compinit; fi
if [[ "$funcstack[1]" == _graph_capture ]]; then _graph_capture "$@"; else
  compdef _graph_capture graph-capture
fi
"""
_FISH = """\
complete -c graph-capture -e
{lines}
"""


class _Option(NamedTuple):
    """What a shell completes after a command: an option, or with no flags an operand."""

    flags: tuple[str, ...]
    help: str
    takes: str
    choices: tuple[str, ...]
    repeats: bool


class _Command(NamedTuple):
    name: str
    help: str
    options: tuple[_Option, ...]


def completion(options: argparse.Namespace, console: Console) -> ExitCode:
    """Print the script of one shell."""
    script = _SCRIPTS[options.shell](list(_commands())).rstrip()
    if options.json_output:
        console.result_json({"shell": options.shell, "script": script})
    else:
        console.result(script)
    return ExitCode.OK


def _commands() -> Iterator[_Command]:
    """Iterate over the commands, the program itself first, with no name."""
    top = parser()
    (commands,) = (a for a in top._actions if isinstance(a, argparse._SubParsersAction))
    yield _Command("", "", tuple(_options(top)))
    helps = {choice.dest: choice.help or "" for choice in commands._choices_actions}
    for name, sub in commands.choices.items():
        yield _Command(name, helps[name], tuple(_options(sub)))


def _options(of: argparse.ArgumentParser) -> Iterator[_Option]:
    for action in of._actions:
        if isinstance(action, argparse._SubParsersAction):
            continue
        takes = "" if action.nargs == 0 else str(action.metavar or action.dest).lower()
        choices = tuple(map(str, action.choices or ()))
        flags, repeats = tuple(action.option_strings), action.nargs == "*"
        yield _Option(flags, action.help or "", takes, choices, repeats)


def _bash(commands: list[_Command]) -> str:
    options = [
        f'    "{command.name}") options="{" ".join(_flags(command))}" ;;'
        for command in commands
    ]
    values = [
        f'    "{command.name} {word}") values="{" ".join(option.choices)}" ;;'
        for command in commands
        for option in command.options
        if option.choices
        for word in option.flags or (command.name,)
    ]
    names = [command.name for command in commands[1:]]
    return _BASH.format(
        names="|".join(names),
        commands=" ".join(names),
        options="\n".join(options),
        values="\n".join(values),
    )


def _flags(command: _Command) -> list[str]:
    return [flag for option in command.options for flag in option.flags]


def _zsh(commands: list[_Command]) -> str:
    top, *rest = commands
    return _ZSH.format(
        commands="\n".join(f"    {_quoted(f'{c.name}:{c.help}')}" for c in rest),
        options=" ".join(_zsh_options(top)),
        cases="\n".join(
            f"        {command.name}) _arguments {' '.join(_zsh_options(command))} ;;"
            for command in rest
        ),
    )


def _zsh_options(command: _Command) -> Iterator[str]:
    for option in command.options:
        action = f"({' '.join(option.choices)})" if option.choices else "_files"
        takes = f":{_zsh_text(option.takes)}:{action}" if option.takes else ""
        for flag in option.flags:
            yield _quoted(f"*{flag}[{_zsh_text(option.help)}]{takes}")
        if not option.flags:
            every = "*" if option.repeats else ""
            yield _quoted(f"{every}:{_zsh_text(option.takes)}:{action}")


def _zsh_text(text: str) -> str:
    """Return text whose brackets and colons mean nothing to ``_arguments``."""
    return text.replace("[", "(").replace("]", ")").replace(":", "\\:")


def _fish(commands: list[_Command]) -> str:
    lines = []
    for command in commands:
        seen = f"__fish_seen_subcommand_from {command.name}"
        when = _quoted(seen if command.name else "__fish_use_subcommand")
        if command.name:
            first = f"-n __fish_use_subcommand -f -a {command.name}"
            lines.append(f"complete -c graph-capture {first} -d {_quoted(command.help)}")
        lines += [
            f"complete -c graph-capture -n {when} {_fish_option(option)}"
            for option in command.options
            if option.flags or option.choices
        ]
    return _FISH.format(lines="\n".join(lines))


def _fish_option(option: _Option) -> str:
    words = [
        f"-l {flag[2:]}" if flag.startswith("--") else f"-s {flag[1:]}"
        for flag in option.flags
    ]
    if option.choices:
        words.append(
            f"{'-x ' if option.flags else '-f '}-a {_quoted(' '.join(option.choices))}"
        )
    elif option.takes:
        words.append("-r")
    return f"{' '.join(words)} -d {_quoted(option.help or option.takes)}"


def _quoted(text: str) -> str:
    """Return text in single quotes; a quote in it closes them, stands escaped, and opens them."""
    return "'" + text.replace("'", "'\\''") + "'"


_SCRIPTS: dict[str, Callable[[list[_Command]], str]] = {
    "bash": _bash,
    "fish": _fish,
    "zsh": _zsh,
}
