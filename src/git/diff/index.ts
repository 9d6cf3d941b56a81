/** Comparison of lines, trees and renames; hunks and patch text. */
export { diffTrees } from './diff-trees.ts'
export { formatPatch, patchBytes } from './patch.ts'

export { diffLines } from './line-diff.ts'
export { splitLines } from './lines.ts'
