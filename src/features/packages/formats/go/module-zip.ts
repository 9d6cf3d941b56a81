/** The zip of a module: its files without nested modules, vendored packages and links. */
import type { TreeEntry } from '#git'
import type { Hearth } from '#core/hearth.ts'
import type { ArchivedFile } from '#lib/archives/archived-file.ts'
import { writeZip } from '#lib/archives/zip-writer.ts'
import { Refusal } from '#lib/errors.ts'
import type { FoundModule } from './find-module.ts'
import { tagPrefixOf } from './module-path.ts'

/** `MaxZipFile` of golang.org/x/mod/zip: the bytes of all files together. */
const MAX_MODULE_BYTES = 500 * 1024 ** 2
const MAX_FILES = 100_000
const LEVEL = 6

/**
 * Whether a file belongs to a vendored package (`isVendoredPackage` in golang.org/x/mod/zip). Before
 * Go 1.24 it counted from the wrong place; the hash of a module depends on it.
 */
function isVendored(name: string, isFixed: boolean): boolean {
  if (isFixed && name === 'vendor/modules.txt') return true
  const start = 'vendor/'.length
  const inner = name.indexOf('/vendor/')
  if (!name.startsWith('vendor/') && inner < 0) return false
  const from = name.startsWith('vendor/') ? start : isFixed ? inner + '/vendor/'.length : start + 1
  return name.indexOf('/', from) >= 0
}

/** The minor version of Go that a go.mod asks for. */
function goMinor(mod: string): number {
  return Number(/^go\s+1\.(\d{1,4})/m.exec(mod)?.[1] ?? 0)
}

const FIRST_FIXED_MINOR = 24

/** The files of a module, from those of its folder. */
export function selectModuleFiles(entries: readonly TreeEntry[], mod: string): TreeEntry[] {
  const nested = new Set(
    entries
      .filter(({ type, path }) => type === 'file' && path.endsWith('/go.mod'))
      .map(({ path }) => path.slice(0, -'go.mod'.length)),
  )
  const isNested = (path: string): boolean => {
    for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1))
      if (nested.has(path.slice(0, at + 1))) return true
    return false
  }
  const isFixed = goMinor(mod) >= FIRST_FIXED_MINOR
  return entries.filter(
    ({ type, path }) => type === 'file' && !isNested(path) && !isVendored(path, isFixed),
  )
}

async function listFiles(hearth: Hearth, store: string, found: FoundModule): Promise<TreeEntry[]> {
  const options = { recursive: true, sizes: true }
  const entries = await hearth.git.listTree(store, found.commit, found.folder, options)
  const files = selectModuleFiles(entries ?? [], found.mod)
  const hasLicense = files.some(({ path }) => path === 'LICENSE')
  const license =
    found.folder === '' || hasLicense
      ? null
      : await hearth.git.findEntry(store, found.commit, 'LICENSE')
  const all = license?.type === 'file' ? [...files, { ...license, path: 'LICENSE' }] : files
  const bytes = all.reduce((sum, { size }) => sum + (size ?? 0), 0)
  if (all.length > MAX_FILES || bytes > MAX_MODULE_BYTES)
    throw new Refusal('not_found', 'the module has more than 500 MiB or 100,000 files')
  return all
}

/** Yields the zip. One file is in memory at a time. Throws 404 for a module that is too large. */
export async function moduleZip(
  hearth: Hearth,
  store: string,
  module: string,
  found: FoundModule,
): Promise<ReadableStream<Uint8Array>> {
  const files = await listFiles(hearth, store, found)
  const folder = tagPrefixOf(`${module}@${found.version}`)
  async function* read(): AsyncGenerator<ArchivedFile> {
    for (const { path, oid } of files) {
      const blob = await hearth.git.readBlob(store, oid)
      if (blob === null) throw new Error(`${path} is missing in the repository`)
      yield {
        path: folder + path,
        isExecutable: false,
        size: blob.data.length,
        data: once(blob.data),
      }
    }
  }
  return streamOf(writeZip(read(), LEVEL))
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

function streamOf(parts: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream({
    pull: async (controller) => {
      const { done, value } = await parts.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
    cancel: async () => void (await parts.return(undefined)),
  })
}
