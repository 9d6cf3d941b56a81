/** The conflicts of a merge for somebody who resolves them, and their resolutions. */
import { isBinary } from '../diff/lines.ts'
import { keyToText, textToKey, type PathKey } from '../history/names.ts'
import { isFile, readBlob } from '../history/tree.ts'
import { MODE } from '../object.ts'
import type {
  ConflictedFile,
  ConflictLimits,
  MergeConflicts,
  ObjectDatabase,
  Resolution,
} from '../ports.ts'
import { driverOf } from './content-merge.ts'
import {
  ABSENT,
  BASE,
  OURS,
  THEIRS,
  type MergeState,
  type PathInfo,
  type ResolveVersion,
  type Version,
} from './state.ts'
import { mergeParts } from './text-merge.ts'

/** The version that a resolution stands for. New content has the mode that the merge chose. */
export const chooseVersion =
  (db: ObjectDatabase, resolution: Resolution): ResolveVersion =>
  ({ stages, result }) => {
    if (resolution.take !== 'content') return stages[resolution.take === 'ours' ? OURS : THEIRS]
    return {
      mode: isFile(result.mode) ? result.mode : MODE.file,
      oid: db.write('blob', resolution.data),
    }
  }

/** The conflicts in the order of their paths, with their text as far as the limits allow. */
export function describeConflicts(state: MergeState, limits: ConflictLimits): MergeConflicts {
  const paths = [...state.conflicts].sort()
  let bytesLeft = limits.maxBytes
  const files = paths.slice(0, limits.maxFiles).map((path) => {
    const { file, bytes } = describeOne(state, path, Math.min(bytesLeft, limits.maxFileBytes))
    bytesLeft -= bytes
    return file
  })
  return { files, total: paths.length }
}

function describeOne(
  state: MergeState,
  path: PathKey,
  maxBytes: number,
): { file: ConflictedFile; bytes: number } {
  const info = state.contentConflicts.get(path)
  const file: ConflictedFile = {
    path: keyToText(path),
    // A resolution names the path as text, so the text must stand for these bytes.
    isAboutContent: info !== undefined && textToKey(keyToText(path)) === path,
    inBase: (info?.stages[BASE] ?? ABSENT).mode !== 0,
    inOurs: (info?.stages[OURS] ?? ABSENT).mode !== 0,
    inTheirs: (info?.stages[THEIRS] ?? ABSENT).mode !== 0,
    parts: null,
  }
  const texts = info ? textsOf(state, path, info, maxBytes) : null
  if (texts === null) return { file, bytes: 0 }
  const bytes = texts.reduce((sum, { length }) => sum + length, 0)
  return { file: { ...file, parts: mergeParts(...texts, state.effort) }, bytes }
}

/** The three versions of a text file that both sides changed; null for anything else. */
function textsOf(
  { db, attributes }: MergeState,
  path: PathKey,
  { stages: [base, ours, theirs] }: PathInfo,
  maxBytes: number,
): [Uint8Array, Uint8Array, Uint8Array] | null {
  if (!isFile(ours.mode) || !isFile(theirs.mode)) return null
  if (driverOf(attributes.of(path).get('merge')) === 'binary') return null
  const versions: [Version, Version, Version] = [isFile(base.mode) ? base : ABSENT, ours, theirs]
  const size = versions.reduce(
    (sum, { mode, oid }) => sum + (mode === 0 ? 0 : (db.header(oid)?.size ?? 0)),
    0,
  )
  if (size > maxBytes) return null
  const read = ({ mode, oid }: Version): Uint8Array =>
    mode === 0 ? new Uint8Array(0) : readBlob(db, oid)
  const texts: [Uint8Array, Uint8Array, Uint8Array] = [
    read(versions[0]),
    read(versions[1]),
    read(versions[2]),
  ]
  return texts.some(isBinary) ? null : texts
}
