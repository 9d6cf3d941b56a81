/**
 * A thread of the search. One of them writes the index, the others only ask. It hears `{id, name,
 * args}` and answers each with its value or with what went wrong.
 */
import type { DatabaseHandle } from '#core/db.ts'
import { explore } from './explore.ts'
import { find } from './find.ts'
import {
  beginTree,
  dropOrphans,
  endTree,
  findTree,
  listGone,
  listStale,
  listUnused,
  openFolder,
  putBlobs,
  putFolder,
  removeTree,
  treesOf,
} from './store-code.ts'
import { openIndex, openIndexForReading } from './store-index.ts'
import { isComplete, putNames, putTexts, rebuildStep, removeTexts } from './store-texts.ts'

declare const self: Worker

/** What each thread can be asked. */
const READING = { find, explore }
const WRITING = {
  isComplete,
  rebuildStep,
  putTexts,
  putNames,
  removeTexts,
  findTree,
  beginTree,
  endTree,
  openFolder,
  putBlobs,
  putFolder,
  removeTree,
  treesOf,
  listUnused,
  dropOrphans,
  listStale,
  listGone,
}
export type Reading = typeof READING
export type Writing = typeof WRITING

/** What starts a thread. */
export type Opening = { readonly writes: boolean; readonly index: string; readonly forge: string }
export type Asked = {
  readonly id: number
  readonly name: string
  readonly args: readonly unknown[]
}
export type Answered = { readonly id: number } & (
  | { readonly value: unknown }
  | { readonly error: string }
)

let db: DatabaseHandle | null = null
let able: Readonly<Record<string, unknown>> = {}

self.onmessage = ({ data }: MessageEvent<Asked & { readonly opening?: Opening }>) => {
  try {
    if (data.opening) {
      const { writes, index, forge } = data.opening
      db = writes ? openIndex(index, forge) : openIndexForReading(index, forge)
      able = writes ? WRITING : READING
      postMessage({ id: data.id, value: null } satisfies Answered)
      return
    }
    if (data.name === 'close') {
      db?.raw.close()
      db = null
      postMessage({ id: data.id, value: null } satisfies Answered)
      return
    }
    const run = able[data.name]
    if (!db || typeof run !== 'function') throw new Error(`the search has no ${data.name}`)
    postMessage({ id: data.id, value: run(db, ...data.args) } satisfies Answered)
  } catch (error) {
    postMessage({
      id: data.id,
      error: error instanceof Error ? (error.stack ?? error.message) : String(error),
    } satisfies Answered)
  }
}
