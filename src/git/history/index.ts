/** Questions about history: what is reachable, who changed what when, and what a tree holds. */
export { count, log, readCommit } from './log.ts'
export { aheadBehind, isReachable, mergeBases } from './reachability.ts'
export { lastCommits } from './last-commits.ts'
export { blame } from './blame.ts'
export { findEntry, listTree } from './list-tree.ts'
export { languages } from './languages.ts'
export { archive } from './archive.ts'
export { commitSource, type CommitGraph, type CommitNode } from './commit-source.ts'
