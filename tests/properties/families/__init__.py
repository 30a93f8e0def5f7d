"""One module a family: ``CALLS`` draws a call, ``REFUSED`` lists the refusals it accepts."""
