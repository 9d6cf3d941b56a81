/**
 * Proves backups to a bucket against a server of S3 that runs elsewhere: `bun test/system/backup-s3.ts
 * --endpoint URL --bucket NAME`. The bucket
 * must exist; everything goes below a folder of its own and is taken away at the end.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hearth } from './drill/run.ts'
import { BUCKET_OPTIONS, clientOf, listFolder } from '../../scripts/support/bucket.ts'
import { EXECUTABLE, requireBuilt } from '../../scripts/support/forge.ts'
import { runScript, type Option } from '../../scripts/support/options.ts'

const OPTIONS = {
  ...BUCKET_OPTIONS,
  megabytes: { kind: 'count', default: '64', help: 'Size of one large file.' },
  executable: { kind: 'text', default: EXECUTABLE, help: 'The built executable.' },
} as const satisfies Record<string, Option>

if (import.meta.main) {
  await runScript('bun test/system/backup-s3.ts [options]', OPTIONS, async (options) => {
    const executable = requireBuilt(options.executable)
    const root = mkdtempSync(join(tmpdir(), 'hearth-s3-'))
    const data = join(root, 'data')
    const folder = `drill-${crypto.randomUUID()}`
    const place = `s3://${options.bucket}/${folder}`
    const environment = {
      HEARTH_BACKUPS_S3_ENDPOINT: options.endpoint,
      HEARTH_BACKUPS_S3_REGION: options.region,
      HEARTH_BACKUPS_S3_ACCESS_KEY: options.access,
      HEARTH_BACKUPS_S3_SECRET_KEY: options.secret,
      HEARTH_BACKUPS_KEEP_LAST: '1',
      HEARTH_BACKUPS_KEEP_DAILY: '0',
      HEARTH_BACKUPS_KEEP_WEEKLY: '0',
      HEARTH_BACKUPS_KEEP_MONTHLY: '0',
    }
    const problems: string[] = []
    const run = async (
      what: string,
      status: number,
      words: string,
      args: readonly string[],
      change: Record<string, string> = {},
    ) => {
      const said = await hearth(executable, args, { ...environment, ...change })
      const good = said.status === status && `${said.out}${said.error}`.includes(words)
      process.stdout.write(`${good ? 'ok' : 'NOT OK'}  ${what}, ${said.seconds.toFixed(1)} s\n`)
      if (!good) problems.push(`${what}: status ${said.status}: ${said.out}${said.error}`)
    }
    const client = clientOf(options)
    const names = () => listFolder(client, folder)
    try {
      await run('a forge', 0, 'http', [
        'setup',
        '--username',
        'ada',
        '--email',
        'ada@example.com',
        '--data',
        data,
      ])
      const large = new Uint8Array(Number(options.megabytes) * 1024 ** 2)
      for (let at = 0; at < large.length; at += 65_536)
        crypto.getRandomValues(large.subarray(at, at + 65_536))
      writeFileSync(join(data, 'large'), large)
      await run('a backup', 0, 'made bkp_', ['backup', 'create', '--data', data, '--to', place])
      const first = (await names()).length
      await run('a second one adds little', 0, 'KB were new', [
        'backup',
        'create',
        '--data',
        data,
        '--to',
        place,
      ])
      if ((await names()).length > first + 3)
        problems.push('the second backup wrote parts that were there')
      await run('the list', 0, 'bkp_', ['backup', 'list', place, '--data', data])
      await run('the proof', 0, 'is sound: a copy was restored', [
        'backup',
        'verify',
        place,
        '--data',
        data,
      ])
      await run('a look without writing', 0, 'can be restored', [
        'backup',
        'restore',
        place,
        '--check',
      ])
      await run('a restore', 0, 'restored bkp_', [
        'backup',
        'restore',
        place,
        '--data',
        join(root, 'restored'),
      ])
      if (Buffer.compare(readFileSync(join(root, 'restored', 'large')), large) !== 0)
        problems.push('what was restored is not what was backed up')
      await run('clearing', 0, '1 backup', ['backup', 'prune', '--to', place, '--data', data])
      await run('a wrong key', 1, 'hearth: s3://', ['backup', 'list', place, '--data', data], {
        HEARTH_BACKUPS_S3_SECRET_KEY: 'wrong-key-of-forty-characters-aaaaaaaaaaa',
      })
      await run('no such bucket', 1, 'hearth: s3://', [
        'backup',
        'create',
        '--data',
        data,
        '--to',
        's3://hearth-no-such-bucket/x',
      ])
      await run('nobody there', 1, 'cannot be reached', ['backup', 'list', place, '--data', data], {
        HEARTH_BACKUPS_S3_ENDPOINT: 'http://127.0.0.1:9',
      })
      const part = (await names()).find(({ size }) => size === 8 * 1024 ** 2)
      if (part) {
        await client.write(part.key, new Uint8Array(part.size))
        await run('a damaged part', 1, 'is damaged', ['backup', 'verify', place, '--data', data])
        await client.delete(part.key)
        await run('a missing part', 1, 'is missing', ['backup', 'restore', place, '--check'])
        await run('the next backup mends it', 0, 'made bkp_', [
          'backup',
          'create',
          '--data',
          data,
          '--to',
          place,
        ])
        await run('and is sound', 0, 'is sound', ['backup', 'verify', place, '--data', data])
      } else problems.push('there was no part of full size')
    } finally {
      for (const { key } of await names()) await client.delete(key)
      rmSync(root, { recursive: true, force: true })
    }
    for (const problem of problems) process.stdout.write(`${problem}\n`)
    return problems.length === 0 ? 0 : 1
  })
}
