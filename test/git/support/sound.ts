/** Whether a store is sound: git's own judgement of everything that lies in it. */
import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect } from 'bun:test'
import { tryGit } from './real-git.ts'

/** A plain repository beside a store with the same packs, by links; whoever asks removes it. */
function linked(store: string, names: readonly string[]): string {
  const bare = mkdtempSync(join(store, 'linked-'))
  for (const directory of ['objects/pack', 'refs'])
    mkdirSync(join(bare, directory), { recursive: true })
  writeFileSync(join(bare, 'HEAD'), 'ref: refs/heads/main\n')
  for (const name of names)
    if (/\.(pack|idx)$/.test(name))
      linkSync(join(store, 'objects', 'pack', name), join(bare, 'objects', 'pack', name))
  return bare
}

/**
 * Every complaint of `git fsck --strict`, `verify-pack`, `commit-graph verify` and
 * `multi-pack-index verify` about a store.
 */
export async function complaints(
  store: string,
  options: { strict?: boolean } = {},
): Promise<string[]> {
  const packs = join(store, 'objects', 'pack')
  if (!existsSync(packs)) return []
  const names = readdirSync(packs).sort()
  const wrong: string[] = []
  // Refs are the host's: for git everything here is unreachable, which is no fault.
  const run = (...args: string[]): Promise<void> => runIn(store, ...args)
  const runIn = async (directory: string, ...args: string[]): Promise<void> => {
    const { code, out, err } = await tryGit(store, ['--git-dir', directory, ...args])
    const said = `${out}${err}`
      .split('\n')
      .filter(
        (line) =>
          line !== '' && !/^(dangling|unreachable|notice: |Checking |Verifying )/.test(line),
      )
    if (code !== 0 || said.length > 0)
      wrong.push(`git ${args.join(' ')} ended with ${code}: ${said.slice(0, 5).join(' | ')}`)
  }
  if (names.some((name) => name.endsWith('.pack')))
    await run('fsck', '--full', ...(options.strict === false ? [] : ['--strict']), '--no-progress')
  for (const name of names) if (name.endsWith('.idx')) await run('verify-pack', join(packs, name))
  if (readdirSync(join(store, 'objects', 'info')).some((name) => name.startsWith('commit-graph')))
    await run('commit-graph', 'verify', '--no-progress')
  if (names.some((name) => name.endsWith('.idx'))) {
    // A store has none of its own, but git must be able to make one, for which it looks up every
    // object in every index.
    const bare = linked(store, names)
    for (const what of ['write', 'verify'])
      await runIn(bare, 'multi-pack-index', what, '--no-progress')
    rmSync(bare, { recursive: true, force: true })
  }
  const strange = names.filter(
    (name) => !/^(pack-[0-9a-f]{40}\.(pack|idx|rev|bitmap|mtimes))$/.test(name),
  )
  if (strange.length > 0) wrong.push(`left behind: ${strange.join(', ')}`)
  return wrong
}

/** Stores that git looks at together. */
const AT_ONCE = 4

/** Fails the test when any of these stores below an engine's root is not sound. */
export async function expectSound(
  root: string,
  stores: readonly string[] = readdirSync(root),
  options: { strict?: boolean } = {},
): Promise<void> {
  for (let at = 0; at < stores.length; at += AT_ONCE) {
    const some = stores.slice(at, at + AT_ONCE)
    const found = await Promise.all(
      some.map(async (store) => ({
        store,
        complaints: await complaints(join(root, store), options),
      })),
    )
    expect(found).toEqual(some.map((store) => ({ store, complaints: [] })))
  }
}
