/**
 * The longest pause between two shared reads that scan every seat of a hall. Such a scan costs as much as several
 * holds (`bench/best-available.ts`); the pause leaves the processor to the fans who still find a seat.
 */
export const MAX_SCAN_PAUSE_MS = 50
