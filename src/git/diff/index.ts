/** Comparison of lines, trees and renames; hunks and patch text. */
export { diffTrees } from './diff-trees.ts'
export { formatPatch, patchBytes } from './patch.ts'
export { diffTreePaths, type TreeChange } from './tree-diff.ts'
export { filePairs, type FilePair } from './file-pair.ts'
export { findRenames, type Rename, type RenameFile } from './renames.ts'
export { diffLines } from './line-diff.ts'
export { isBinary, splitLines } from './lines.ts'
