"""``graph-capture completion``: a script that lets a shell complete commands and options."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from capture.cli_errors import ExitCode
from capture.cli_parser import parser

if TYPE_CHECKING:
    from collections.abc import Iterator

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
_ZSH = "autoload -U +X compinit && compinit\nautoload -U +X bashcompinit && bashcompinit\n"


def completion(options: argparse.Namespace, console: Console) -> ExitCode:
    """Print the script; zsh runs the one of bash."""
    script = _script(parser())
    console.result((_ZSH + script if options.shell == "zsh" else script).rstrip())
    return ExitCode.OK


def _script(top: argparse.ArgumentParser) -> str:
    (commands,) = (a for a in top._actions if isinstance(a, argparse._SubParsersAction))
    parsers: dict[str, argparse.ArgumentParser] = {"": top, **commands.choices}
    options = [
        f'    "{name}") options="{" ".join(_options(sub))}" ;;'
        for name, sub in parsers.items()
    ]
    values = [line for name, sub in parsers.items() for line in _values(name, sub)]
    names = list(commands.choices)
    return _BASH.format(
        names="|".join(names),
        commands=" ".join(names),
        options="\n".join(options),
        values="\n".join(values),
    )


def _options(sub: argparse.ArgumentParser) -> list[str]:
    return [flag for action in sub._actions for flag in action.option_strings]


def _values(name: str, sub: argparse.ArgumentParser) -> Iterator[str]:
    """Iterate over the cases of options, and of the command itself, that take few values."""
    for action in sub._actions:
        if not action.choices or isinstance(action, argparse._SubParsersAction):
            continue
        words = action.option_strings or [name]
        for word in words:
            yield f'    "{name} {word}") values="{" ".join(map(str, action.choices))}" ;;'
