#!/usr/bin/python3
"""That docs/clients.md shows what the drivers do: recipes_test.py

A driver has its recipe between two comments, and the page has it below `<!-- recipe: DRIVER -->`.
There, lines of the driver such as its imports may come first; the indentation may differ.
"""

import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
PAGE = HERE.parents[1] / "docs" / "clients.md"
SHOWN = re.compile(r"<!-- recipe: (\S+) -->\n```\w+\n(.*?)```", re.DOTALL)
MARKED = re.compile(r"^[^\w\n]*recipe[^\w\n]*$(.*?)^[^\w\n]*end of recipe[^\w\n]*$",
                    re.DOTALL | re.MULTILINE)


def lines_of(text):
    return [line.strip() for line in text.splitlines() if line.strip()]


def trouble(driver, shown):
    """What differs between a driver's recipe and the page's; "" when nothing does."""
    text = (HERE / "drivers" / driver).read_text()
    marked = MARKED.search(text)
    if marked is None:
        return "the driver marks no recipe"
    recipe, page = lines_of(marked.group(1)), lines_of(shown)
    if page[-len(recipe):] != recipe:
        return "the page does not end with\n" + "\n".join(recipe)
    unknown = [line for line in page[:-len(recipe)] if line not in lines_of(text)]
    return "the driver does not have\n" + "\n".join(unknown) if unknown else ""


def main():
    shown = dict(SHOWN.findall(PAGE.read_text()))
    drivers = [path.name for path in sorted((HERE / "drivers").iterdir())
               if path.is_file() and path.stem.lower() != "check"]
    failed = 0
    for driver in drivers:
        error = trouble(driver, shown[driver]) if driver in shown else "the page has no recipe"
        if error:
            failed += 1
            print(f"{driver}: {error}")
    print(f"{len(drivers) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
