/**
 * Commits, trees and tags are held in memory where they are read, on the event loop too: larger
 * ones are refused.
 */
export const MAX_META = 32 << 20
