/** Making new trees and commits: three-way merges, landings, commits from single changes, tags. */
export { mergeThreeTrees, mergeTrees } from './merge-trees.ts'
export { mergeText, type TextMerge } from './text-merge.ts'
export { land, revert, type LandOptions, type RevertOptions } from './land.ts'
export { commitFiles, type CommitFilesOptions } from './commit-files.ts'
export { createTag, type CreateTagOptions } from './tag.ts'
export { checkPath } from './path-check.ts'
export { ScratchDatabase } from './scratch.ts'
