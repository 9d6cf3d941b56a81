/**
 * Proves packs and files in a bucket (storage.bucket) against a server of S3 that runs elsewhere:
 * `bun test/system/storage-s3.ts --endpoint URL
 * --bucket NAME`. The bucket must exist; everything goes below a folder of its own and is taken
 * away at the end. The forge reaches it through a wire of this script that can be cut.
 */
import { Database } from 'bun:sqlite'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Random } from './crash/random.ts'
import { hearth } from './drill/run.ts'
import { BUCKET_OPTIONS, clientOf, listFolder } from '../../scripts/support/bucket.ts'
import {
  claim,
  EXECUTABLE,
  OWNER,
  requireBuilt,
  startForge,
  type ForgeProcess,
} from '../../scripts/support/forge.ts'
import { git, withToken } from '../../scripts/support/git.ts'
import { runScript, type Option } from '../../scripts/support/options.ts'
import { startWire } from './storage/wire.ts'

const OPTIONS = {
  ...BUCKET_OPTIONS,
  megabytes: { kind: 'count', default: '40', help: 'Size of one large push.' },
  kills: {
    kind: 'count',
    default: '12',
    help: 'How often the forge is killed on the way out, on the way back, and while files leave.',
  },
  seed: { kind: 'count', default: '1', help: 'Of the moments when it is killed.' },
  executable: { kind: 'text', default: EXECUTABLE, help: 'The built executable.' },
} as const satisfies Record<string, Option>

/** What was not used for so long may leave (`REST_MS`). */
const REST_MS = 61_000

if (import.meta.main) {
  await runScript('bun test/system/storage-s3.ts [options]', OPTIONS, async (options) => {
    const executable = requireBuilt(options.executable)
    const random = new Random(Number(options.seed))
    const root = mkdtempSync(join(tmpdir(), 'hearth-storage-'))
    const data = join(root, 'data')
    const log = join(root, 'serve.log')
    const folder = `storage-${crypto.randomUUID()}`
    const wire = await startWire(options.endpoint)
    const settings: Record<string, string> = {
      HEARTH_LOG_LEVEL: 'warn',
      HEARTH_STORAGE_BUCKET: `s3://${options.bucket}/${folder}`,
      HEARTH_STORAGE_ENDPOINT: wire.url,
      HEARTH_STORAGE_REGION: options.region,
      HEARTH_STORAGE_ACCESS_KEY: options.access,
      HEARTH_STORAGE_SECRET_KEY: options.secret,
    }
    const client = clientOf(options)
    const objects = async (): Promise<string[]> =>
      (await listFolder(client, folder)).map(({ key }) => key)
    const problems: string[] = []
    const say = (line: string): void => void process.stdout.write(`${line}\n`)
    const expect = (what: string, good: boolean, more = ''): void => {
      say(`${good ? 'ok' : 'NOT OK'}  ${what}${good ? '' : `: ${more}`}`)
      if (!good) problems.push(`${what}: ${more}`)
    }
    const until = async (what: string, is: () => Promise<boolean> | boolean): Promise<void> => {
      for (const end = performance.now() + 120_000; performance.now() < end; await Bun.sleep(200))
        if (await is()) return
      throw new Error(`waited two minutes for: ${what}`)
    }
    const start = (change: Record<string, string> = {}, where = data): Promise<ForgeProcess> =>
      startForge({ executable, data: where, log, environment: { ...settings, ...change } })

    let forge = await start()
    const { token } = await claim(forge)
    const api = async (method: string, path: string, body?: unknown): Promise<unknown> => {
      const response = await fetch(`${forge.url}/api/v1${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      if (!response.ok)
        throw new Error(
          `${method} ${path} answered ${response.status}: ${(await response.text()).slice(0, 500)}`,
        )
      return await response.json()
    }
    const address = (name: string): string =>
      withToken(`${forge.url}/${OWNER.workspace}/${name}.git`, token)
    /** What was acknowledged: a branch of each repository and where it is. */
    const heads = new Map<string, { branch: string; oid: string }>()
    const work = (name: string): string => join(root, 'work', name)
    const push = async (name: string, bytes: number): Promise<void> => {
      const tree = work(name)
      const content = new Uint8Array(bytes)
      for (let at = 0; at < bytes; at += 65_536)
        crypto.getRandomValues(content.subarray(at, at + 65_536))
      writeFileSync(join(tree, `${crypto.randomUUID()}.bin`), content)
      await git(tree, 'add', '.')
      await git(
        tree,
        '-c',
        'user.name=a',
        '-c',
        'user.email=a@example.com',
        'commit',
        '-q',
        '-m',
        'more',
      )
      // The default branch is protected once it is there.
      const branch = heads.has(name) ? 'more' : 'main'
      await git(tree, 'push', '-q', address(name), `HEAD:${branch}`)
      heads.set(name, { branch, oid: (await git(tree, 'rev-parse', 'HEAD')).trim() })
    }
    const make = async (name: string): Promise<void> => {
      await api('POST', '/repos', { workspace: OWNER.workspace, name, private: true })
      mkdirSync(work(name), { recursive: true })
      await git(work(name), 'init', '-q')
    }
    const packs = (ending = '.pack', where = data): string[] =>
      readdirSync(join(where, 'repos')).flatMap((store) => {
        const path = join(where, 'repos', store, 'objects', 'pack')
        return existsSync(path) ? readdirSync(path).filter((file) => file.endsWith(ending)) : []
      })
    const isCopied = async (): Promise<boolean> => {
      const there = await objects()
      return packs('.idx').every((file) =>
        there.some((key) => key.includes(file.slice(0, -4)) && key.endsWith('.idx')),
      )
    }
    /** Runs a kind of job at once, as an administrator may. */
    const hurry = async (kind: string): Promise<void> => {
      const waiting = (await api('GET', `/admin/jobs?kind=${kind}&state=waiting`)) as {
        id: string
      }[]
      for (const { id } of waiting) await api('POST', `/admin/jobs/${id}/retry`)
    }
    const cloneAll = async (what: string): Promise<void> => {
      const wrong: string[] = []
      for (const [name, { branch, oid }] of heads) {
        const to = join(root, 'clone')
        rmSync(to, { recursive: true, force: true })
        try {
          await git(root, 'clone', '-q', address(name), to)
          await git(to, 'fsck', '--strict', '--no-dangling', '--no-progress')
          if ((await git(to, 'rev-parse', `origin/${branch}`)).trim() !== oid)
            wrong.push(`${branch} of ${name} is not at ${oid}`)
        } catch (error) {
          wrong.push(error instanceof Error ? error.message : String(error))
        }
      }
      expect(what, wrong.length === 0, wrong.join('; '))
    }
    /** Maintenance comes a minute after a push, and uses the store once more. */
    const empty = async (): Promise<void> => {
      for (let at = 0; at < 20 && packs().length > 0; at++) {
        await Bun.sleep(at === 0 ? REST_MS : 10_000)
        await hurry('keep_bucket')
        await Bun.sleep(2_000)
      }
      if (packs().length > 0) throw new Error('files do not leave this disk')
    }
    const small = { HEARTH_STORAGE_LOCAL_BYTES: '0' }
    try {
      for (const name of ['small', 'large', 'busy']) await make(name)
      await push('small', 10_000)
      await push('large', Number(options.megabytes) * 1024 ** 2)
      await push('busy', 100_000)
      await until('everything to be copied', isCopied)
      expect('what was pushed is in the bucket, large packs in parts', true)

      await forge.stop()
      forge = await start(small)
      await empty()
      expect(
        'nothing that the bucket has stays on this disk',
        packs('.away').length >= 3,
        `${packs('.away').length} notes`,
      )
      const resident = (): number =>
        Number(
          /VmHWM:\s+(\d+)/.exec(
            String(Bun.spawnSync(['cat', `/proc/${forge.pid}/status`]).stdout),
          )?.[1] ?? 0,
        ) / 1024
      say(
        `    at most ${resident().toFixed(0)} MB were resident while ${options.megabytes} MB were read back from the bucket and let go`,
      )

      wire.cut()
      const refused = await git(root, 'clone', '-q', address('large'), join(root, 'refused')).then(
        () => 'it was cloned',
        (error: unknown) => String(error),
      )
      expect(
        'without the bucket git says why',
        /in a bucket that cannot be reached now/.test(refused),
        refused,
      )
      expect(
        'and everything else goes on',
        (await fetch(`${forge.url}/readyz`)).ok &&
          (await api('GET', `/repos/${OWNER.workspace}/large/issues`)) !== null,
      )
      wire.mend()
      await until(
        'the bucket to be asked again',
        async () =>
          (
            await fetch(
              `${forge.url}/${OWNER.workspace}/large.git/info/refs?service=git-upload-pack`,
              { headers: { authorization: `Basic ${btoa(`x:${token}`)}` } },
            )
          ).ok,
      )
      await cloneAll('with the bucket everything can be cloned')
      say(`    at most ${resident().toFixed(0)} MB were resident until now`)

      await empty()
      const place = join(root, 'backups')
      const made = await hearth(executable, ['backup', 'create', '--data', data, '--to', place], {
        ...settings,
        ...small,
      })
      expect('a backup is made of what is in the bucket', made.status === 0, made.error + made.out)
      expect('without bringing it to this disk', packs().length === 0)
      const verified = await hearth(executable, ['backup', 'verify', place, '--data', data], {
        ...settings,
        ...small,
      })
      expect('and is sound', verified.status === 0, verified.error + verified.out)
      const doctor = await hearth(executable, ['doctor', '--data', data], { ...settings, ...small })
      expect(
        'the doctor finds no fault',
        doctor.status === 0 && /in s3:.* only/.test(doctor.out),
        doctor.out,
      )

      const counts = { out: 0, back: 0, leaving: 0 }
      for (let at = 0; at < Number(options.kills) && problems.length === 0; at++) {
        const kind = (['out', 'back', 'leaving'] as const)[at % 3] ?? 'out'
        let acting: Promise<unknown>
        if (kind === 'out') acting = push('busy', 12 * 1024 ** 2)
        else if (kind === 'back') {
          await empty()
          acting = git(root, 'clone', '-q', address('large'), join(root, `cut-${at}`))
        } else {
          await until('everything to be copied', isCopied)
          await Bun.sleep(REST_MS)
          acting = hurry('keep_bucket')
        }
        // A push is acknowledged before its copy begins, so that is what is cut off.
        if (kind === 'out') await acting
        else acting.catch(() => {})
        await Bun.sleep(random.between(0, kind === 'out' ? 400 : 250))
        await forge.kill()
        await acting.catch(() => {})
        counts[kind]++
        forge = await start(small)
        const half = existsSync(join(data, 'tmp', 'bucket'))
          ? readdirSync(join(data, 'tmp', 'bucket'))
          : []
        if (half.length > 0) problems.push(`a start left ${half.length} half files`)
        await cloneAll(
          `killed ${kind === 'out' ? 'on the way out' : kind === 'back' ? 'on the way back' : 'while files leave'}: everything can be cloned`,
        )
      }
      say(
        `    killed ${counts.out} times on the way out, ${counts.back} on the way back, ${counts.leaving} while files left`,
      )
      await until('everything to be copied', isCopied)
      await forge.stop()

      const second = join(root, 'second')
      mkdirSync(second, { mode: 0o700 })
      const database = new Database(join(data, 'hearth.db'), { readonly: true })
      database.run('VACUUM INTO ?', [join(second, 'hearth.db')])
      database.close()
      cpSync(join(data, 'secrets'), join(second, 'secrets'), { recursive: true })
      forge = await start({}, second)
      await cloneAll('another machine with the database alone gets everything from the bucket')
      await forge.stop()
      const fixed = await hearth(executable, ['doctor', '--fix', '--data', second], settings)
      expect(
        'the doctor gives the bucket to it',
        fixed.status === 0 && /belongs to this data directory now/.test(fixed.out),
        fixed.out + fixed.error,
      )
      const sound = await hearth(executable, ['doctor', '--data', second], settings)
      expect('and finds it sound', sound.status === 0, sound.out)
      say(
        `    ${(await objects()).length} objects, ${packs('.pack', second).length} packs, the largest ${Math.max(...readdirSync(join(second, 'repos')).map((store) => Math.max(0, ...readdirSync(join(second, 'repos', store, 'objects', 'pack')).map((file) => statSync(join(second, 'repos', store, 'objects', 'pack', file)).size)))) >> 20} MB`,
      )
    } catch (error) {
      problems.push(error instanceof Error ? (error.stack ?? error.message) : String(error))
    } finally {
      await forge.kill()
      wire.close()
      for (const key of await objects()) await client.delete(key)
      if (problems.length === 0) rmSync(root, { recursive: true, force: true })
      else say(`what is left is in ${root}`)
    }
    for (const problem of problems) say(problem)
    return problems.length === 0 ? 0 : 1
  })
}
