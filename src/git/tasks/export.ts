/**
 * Writes a plain bare repository that git can read: one pack with the objects that the refs reach,
 * packed-refs and HEAD (gitrepository-layout).
 */
import { syncDirectorySync } from '#lib/disk.ts'
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { planPack } from '../pack/pack-plan.ts'
import { writePackFile } from '../pack/write-pack.ts'
import { GitError, type RefSnapshot } from '../ports.ts'
import type { NamespaceTips } from '../protocol/fetch-request.ts'
import { makeStore, packDirectory, randomName, writeDurably } from '../store/store-files.ts'
import { PackIndex } from '../store/pack-index.ts'
import { writeShallowRoots } from '../store/shallow-roots.ts'
import { reachableObjects } from '../walk/reachable-objects.ts'
import type { OpenStore } from './open-store.ts'
import type { Task } from './task.ts'

/** Throws GitError `invalid` when the directory exists and is not empty. */
export function* exportTask(
  store: OpenStore,
  names: NamespaceTips,
  refs: RefSnapshot,
  directory: string,
): Task<void> {
  if (existsSync(directory) && readdirSync(directory).length > 0)
    throw new GitError('invalid', `${directory} is not empty`)
  store.objects.pin()
  try {
    store.objects.refresh()
    mkdirSync(directory, { recursive: true })
    makeStore(directory)
    rmSync(join(directory, 'HEAD'))
    writeDurably(join(directory, 'HEAD'), Buffer.from(`ref: ${refs.head}\n`))
    mkdirSync(join(directory, 'refs', 'heads'), { recursive: true })
    mkdirSync(join(directory, 'refs', 'tags'), { recursive: true })
    writeDurably(join(directory, 'packed-refs'), Buffer.from(packedRefs(refs)))
    const chosen = yield* reachableObjects(store.objects, store.commits, names.tips)
    const roots = [...(store.objects.shallowRoots ?? [])].filter((oid) =>
      chosen.has(Buffer.from(oid, 'hex'), 0),
    )
    if (roots.length > 0) writeShallowRoots(directory, roots)
    if (chosen.size > 0) {
      const packs = packDirectory(directory)
      const path = join(packs, `tmp_${randomName()}`)
      yield* writePackFile(store.objects, planPack(store.objects, chosen.selection), path)
      const checksum = Buffer.from(PackIndex.open(`${path}.idx`).packChecksum).toString('hex')
      for (const ending of ['pack', 'rev', 'idx'])
        renameSync(`${path}.${ending}`, join(packs, `pack-${checksum}.${ending}`))
      syncDirectorySync(packs)
    }
    syncDirectorySync(directory)
  } finally {
    store.objects.unpin()
  }
}

function packedRefs(refs: RefSnapshot): string {
  const lines = ['# pack-refs with: peeled fully-peeled sorted ']
  for (const ref of refs.refs) {
    lines.push(`${ref.oid} ${ref.name}`)
    if (ref.peeled !== null) lines.push(`^${ref.peeled}`)
  }
  return `${lines.join('\n')}\n`
}
