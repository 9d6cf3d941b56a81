/** Names of refs as callers give them. */
import { branchRef } from '#features/repos/index.ts'

/** A full ref as it is, and a short name as a branch. */
export const fullRef = (ref: string): string => (ref.startsWith('refs/') ? ref : branchRef(ref))

/** The refs under which the commits of a pull request are analysed. */
export const pullRefs = (number: number): string[] => [
  `refs/pull/${number}/merge`,
  `refs/pull/${number}/head`,
]
