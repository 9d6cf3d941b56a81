/** Creates trees and commits: merges, rebases, reverts, commits from file changes, tags. */
export { findConflicts, mergeTrees } from './merge-trees.ts'
export { mergeParts, mergeText } from './text-merge.ts'
export {
  merge as land,
  revert,
  type MergeOptions as LandOptions,
  type RevertOptions,
} from './merge.ts'
export { commitFiles, type CommitFilesOptions } from './commit-files.ts'
export { createTag, type CreateTagOptions } from './create-tag.ts'

export { ScratchDatabase } from './scratch-database.ts'
