/** Questions about history: what is reachable, who changed what when, and what a tree holds. */
export { countCommits as count, log } from './log.ts'
export {
  countAheadBehind as aheadBehind,
  findReachingTips,
  isReachable,
  findMergeBases as mergeBases,
} from './reachability.ts'
export {
  findLastCommits as lastCommits,
  findLastCommitsInTurns as lastCommitsTurns,
} from './last-commits.ts'
export { blame, blameInTurns as blameTurns } from './blame.ts'
export { findBusyPathsInTurns as busyPathsTurns } from './busy-paths.ts'
export { findEntry, listTree, outlineTree } from './list-tree.ts'
export { measureLanguages as languages } from './languages.ts'
export { archive } from './archive.ts'
export { commitSource, type CommitGraph, type CommitNode } from './commit-source.ts'
export { findSha1Collisions } from './find-sha1-collisions.ts'
export { findAddedPointers, listPointers } from './lfs-pointers.ts'
export { searchAdded } from './search-added.ts'
export { summarizeHistory } from './summarize-history.ts'
