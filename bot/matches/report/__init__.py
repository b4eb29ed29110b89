"""The report of a tournament: one HTML page with standings, statistics, and every game to replay.

    page = report_page(read_chronicle(folder))

A report reads only the ledger, and works while a host writes it.
"""

from bot.matches.report.chronicle import Chronicle, read_chronicle
from bot.matches.report.page import report_page

__all__ = ["Chronicle", "read_chronicle", "report_page"]
