"""The page of a tournament for people: standings, games to step through, and what to know of them.

    page = report_page(read_chronicle(folder))

The ledger alone is read, and may be written meanwhile.
"""

from bot.matches.report.chronicle import Chronicle, read_chronicle
from bot.matches.report.page import report_page

__all__ = ["Chronicle", "read_chronicle", "report_page"]
