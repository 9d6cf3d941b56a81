/**
 * A search thread. One thread writes the index, the others only read it. Each message `{id, name,
 * args}` is answered with a value or an error.
 */
import type { DatabaseHandle } from '#core/db.ts'
import { lowerThreadPriority, NICENESS } from '#lib/threads/thread.ts'
import { serveRequests } from '#lib/threads/worker-requests.ts'
import { explore } from './explore.ts'
import type { FindRequest } from './find-request.ts'
import { Searcher } from './find.ts'
import {
  beginTree,
  removeOrphanBlobs,
  endTree,
  findTree,
  listRemovedRepos,
  listStaleRepos,
  listUnusedTrees,
  openFolder,
  putBlobs,
  putFolder,
  removeTree,
  listTreesOf,
} from './store-code.ts'
import { openIndex, openIndexForReading } from './store-index.ts'
import { isComplete, putNames, putTexts, rebuildStep, removeTexts } from './store-texts.ts'

/** The functions that each kind of thread offers. */
function createReaderFunctions(db: DatabaseHandle) {
  const searcher = new Searcher(db)
  return { find: (_: DatabaseHandle, request: FindRequest) => searcher.find(request), explore }
}
const WRITER_FUNCTIONS = {
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
  listTreesOf,
  listUnusedTrees,
  removeOrphanBlobs,
  listStaleRepos,
  listRemovedRepos,
}
export type ReaderFunctions = ReturnType<typeof createReaderFunctions>
export type WriterFunctions = typeof WRITER_FUNCTIONS

/** The options of a new thread. */
export type ThreadOptions = {
  readonly writes: boolean
  readonly index: string
  readonly forge: string
}

export type SearchRequest =
  | { readonly opening: ThreadOptions }
  | { readonly name: string; readonly args: readonly unknown[] }

class SearchServer {
  #db: DatabaseHandle | null = null
  #functions: Readonly<Record<string, unknown>> = {}

  handle(request: SearchRequest): unknown {
    if ('opening' in request) {
      const { writes, index, forge } = request.opening
      this.#db = writes ? openIndex(index, forge) : openIndexForReading(index, forge)
      this.#functions = writes ? WRITER_FUNCTIONS : createReaderFunctions(this.#db)
      return null
    }
    if (request.name === 'close') {
      this.#db?.raw.close()
      this.#db = null
      return null
    }
    const run = this.#functions[request.name]
    if (!this.#db || typeof run !== 'function')
      throw new Error(`the search thread has no function ${request.name}`)
    return run(this.#db, ...request.args)
  }
}

lowerThreadPriority(NICENESS.untrusted)

const server = new SearchServer()
serveRequests((request: SearchRequest) => server.handle(request))
