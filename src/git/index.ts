/** The door of the git room. */
export * from './ports.ts'
export { commandTransport, type RunningCommand } from './client/command-transport.ts'
export * from './client/ports.ts'
export { createGit } from './create-git.ts'
export { readFetchRequests } from './protocol/fetch-conversation.ts'
export { readBareRefs, updateBareRefs, type BareRefs } from './bare/refs.ts'
export { snapshotStore, linkOrCopyFile } from './store/snapshot-store.ts'
export {
  listOffloadedPacks,
  missingFromIndexes,
  listLocalPacks,
  readOffloadNote,
  writeOffloadNote,
  type OffloadedPack,
} from './store/offloaded-packs.ts'
export { packLooseObjects } from './bare/loose-objects.ts'
export { diffText, type TextDiff } from './diff/diff-text.ts'
