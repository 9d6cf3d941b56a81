/** The door of the git room. */
export * from './ports.ts'
export * from './client/ports.ts'
export { createGit } from './create-git.ts'
export { readBareRefs, updateBareRefs, type BareRefs } from './bare/refs.ts'
export { freezeStore, holdFile } from './store/freeze.ts'
export {
  listAway,
  missingFromIndexes,
  packsOf,
  readAway,
  writeAway,
  type AwayPack,
} from './store/away.ts'
export { packLooseObjects } from './bare/loose.ts'
export { diffText, type TextDiff } from './diff/diff-text.ts'
