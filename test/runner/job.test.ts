import { expect, test } from 'bun:test'
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeJobs } from './jobs.ts'
import { hasEnded, isAlive, MIB } from './runners.ts'

const jobs = await makeJobs()
writeFileSync(join(jobs.data, 'hearth.db'), 'the database of the server')

test('steps run one after the other in one sandbox, and background processes stay', async () => {
  const { step, close, job } = await jobs.begin({
    prepare: ({ build }) => writeFileSync(join(build, 'README.md'), 'files of the repository'),
  })
  // The step ends when the background process is seen, so the next one has nothing to wait for.
  const background = 'sleep 4811 & until ps -eo args | grep -q "[s]leep 4811"; do :; done'
  expect(await step(`pwd; cat README.md; ${background}; echo; exit 3`)).toMatchObject({
    ended: 'exited',
    exit_code: 3,
    text: '/work/site/site\nfiles of the repository\n',
  })
  expect(await step('ps -eo args | grep -c "[s]leep 4811"; printf "no line feed"')).toMatchObject({
    exit_code: 0,
    text: '1\nno line feed',
  })
  expect(isAlive('sleep 4811')).toBe(true)
  expect(await step('echo $CI $HOME; id -u; touch /x; kill -9 $$')).toMatchObject({
    exit_code: 137,
    text: expect.stringMatching(/^true \/home\/runner\n1000\n.*Read-only file system\n/),
  })
  expect(job.paths.temp).toBe('/job/temp')
  expect(await close()).toBe(true)
  expect(await hasEnded('sleep 4811')).toBe(true)
})

test('a step cannot read or change what the server gives to the job', async () => {
  const { step, place } = await jobs.begin({
    prepare: ({ work }) => writeFileSync(join(work, 'input', 'event.json'), '{}'),
  })
  const first = await step(
    'cat /job/input/event.json; echo; ls /job/input/steps; echo x >/job/input/event.json; rm -rf /job/input/steps; mv /job/input /job/old; ln -s /etc /job/input/steps/2; cat /job/../etc/shadow',
  )
  expect(first.text).toStartWith('{}\n1\n')
  expect(first.text.match(/Read-only file system/g)?.length).toBeGreaterThanOrEqual(3)
  // The script is gone after its step, because it may have held secrets.
  expect(readdirSync(join(place.work, 'input', 'steps'))).toEqual([])
  expect(await step('ls /job/input/steps')).toMatchObject({ text: '2\n' })
})

test('files of a step are there for that step', async () => {
  const { job, step } = await jobs.begin()
  let text = ''
  await job.step({
    script: 'exec sh -e "$1/script"',
    files: { script: 'cat "$0"; echo x >"$0"' },
    output: (bytes) => void (text += Buffer.from(bytes).toString()),
  })
  expect(text).toMatch(/^cat "\$0"; echo x >"\$0".*Read-only file system/)
  expect(await step('ls /job/input/steps/1')).toMatchObject({ exit_code: 2 })
})

test('sees nothing of the server and of other jobs', async () => {
  const [one, two] = await Promise.all([jobs.begin(), jobs.begin()])
  await one.step('echo of-the-other >/tmp/secret; echo of-the-other >~/secret; sleep 4812 &')
  const { text } = await two.step(
    `cat ${jobs.data}/hearth.db; ls ${jobs.data} ${jobs.directory}; cat /tmp/secret ~/secret; ps -eo args; tr '\\0' '\\n' </proc/1/environ; kill -9 ${process.pid}; cat /etc/passwd`,
  )
  expect(text).not.toContain('the database of the server')
  expect(text).not.toContain('of-the-other')
  expect(text).not.toContain('sleep 4812')
  expect(text).not.toContain(process.env.PWD ?? 'no such folder')
  expect(text).toContain('runner:x:1000')
  expect(isAlive('sleep 4812')).toBe(true)
  await one.close()
})

test('a forged end of a step ends nothing', async () => {
  const { step } = await jobs.begin()
  const forged = await step(
    `printf '\\036%s 0\\n' 0123456789abcdef0123456789abcdef; printf '\\036'; cat /proc/$PPID/environ | tr '\\0' '\\n' | grep -c nonce; echo after; exit 5`,
  )
  expect(forged).toMatchObject({ ended: 'exited', exit_code: 5 })
  expect(forged.text).toContain('after')
  expect(await step('echo next')).toMatchObject({ exit_code: 0, text: 'next\n' })
})

test('a cancelled step gets SIGINT first, and the job goes on', async () => {
  const { step } = await jobs.begin()
  const controller = new AbortController()
  const cancelled = await step('trap "echo tidied; exit 7" INT; echo begun; sleep 4813 & wait', {
    signal: controller.signal,
    onText: (text) => text.includes('begun') && controller.abort(),
  })
  expect(cancelled).toMatchObject({ ended: 'cancelled', exit_code: 7, text: 'begun\ntidied\n' })
  expect(cancelled.duration_ms).toBeLessThan(7_000)
  expect(await step('echo always')).toMatchObject({ ended: 'exited', text: 'always\n' })
  expect(await step('echo never', { signal: AbortSignal.abort() })).toMatchObject({
    ended: 'cancelled',
    exit_code: null,
    text: '',
  })
})

test('a step that ignores signals ends after its timeout and ten seconds', async () => {
  const { step } = await jobs.begin()
  const result = await step('trap "echo ignored" INT TERM; while :; do sleep 1; done', {
    timeoutMs: 300,
  })
  expect(result).toMatchObject({ ended: 'timed_out', exit_code: 137 })
  expect(result.text).toContain('ignored')
  expect(result.duration_ms).toBeGreaterThan(9_000)
  expect(result.duration_ms).toBeLessThan(15_000)
  expect(await step('echo next')).toMatchObject({ text: 'next\n' })
}, 120_000)

test('a step that kills everything loses the sandbox, and the next step gets another', async () => {
  const { step } = await jobs.begin()
  await step('echo kept >file')
  const killed = await step('echo last; kill -9 -1; sleep 1')
  expect(killed).toMatchObject({ ended: 'lost', exit_code: null, text: 'last\n' })
  expect(await step('cat file')).toMatchObject({ ended: 'exited', exit_code: 0, text: 'kept\n' })
})

test('a fork bomb stays inside, and ends with the job', async () => {
  const { step, close } = await jobs.begin()
  await step('jobbomb() { jobbomb | jobbomb & }; jobbomb; sleep 1; echo still here')
  await close()
  expect(await hasEnded('jobbomb')).toBe(true)
})

test('limits hold for all steps together', async () => {
  const memory = await jobs.begin({ limits: { memoryBytes: 128 * MIB } })
  await memory.step(
    `perl -e '$x = "a" x (60 * 1024 * 1024); print "had it\\n"; close STDOUT; sleep 60' & sleep 1`,
  )
  const second = await memory.step(
    `perl -e '$x = "a" x (60 * 1024 * 1024); sleep 5' & perl -e '$x = "a" x (60 * 1024 * 1024); sleep 5'; wait; echo survived`,
  )
  expect(second.ended).toBe('memory')
  expect(second.text).not.toContain('survived')
  const disk = await jobs.begin()
  expect(
    await disk.step('for i in $(seq 1000); do head -c 8M /dev/zero >/job/temp/f$i; done; echo x'),
  ).toMatchObject({ ended: 'disk', exit_code: null, text: '' })
}, 120_000)

test('a step whose process the kernel killed for memory says so, however soon it ends', async () => {
  // What polls only sees memory that is held.
  const { isolation } = jobs
  const isLimited = isolation.kind === 'bubblewrap' && isolation.groups.includes('memory')
  const hold = (mebibytes: number, seconds: number): string =>
    `perl -e '$n = ${mebibytes} << 20; $x = "a" x $n; $| = 1; print "ready\\n"; sleep ${seconds}'`
  for (let n = 0; n < 3; n++) {
    const { step, close } = await jobs.begin({ limits: { memoryBytes: 128 * MIB } })
    const result = await step(
      `mkfifo f; ${hold(40, 60)} >f & read -r _ <f; ${hold(100, isLimited ? 0 : 2)}; exit 3`,
    )
    expect(result).toMatchObject({ ended: 'memory', exit_code: null })
    expect(await step('echo next')).toMatchObject({ ended: 'exited', text: 'next\n' })
    await close()
  }
})

test('a job that fills its folder is stopped, although others free space meanwhile', async () => {
  const large = join(jobs.data, 'large')
  writeFileSync(large, Buffer.alloc(128 * MIB, 1))
  const { step } = await jobs.begin({ limits: { diskBytes: 16 * MIB } })
  const result = await step(
    'sleep 1; echo begun; sleep 1; for n in 1 2 3; do head -c 8M /dev/zero >f$n; done; sleep 60',
    { onText: () => rmSync(large, { force: true }) },
  )
  expect(result.ended).toBe('disk')
  expect(result.duration_ms).toBeLessThan(40_000)
}, 120_000)

test('closing ends a step that runs', async () => {
  const { step, close } = await jobs.begin()
  let begun = () => {}
  const started = new Promise<void>((resolve) => void (begun = resolve))
  const running = step('echo begun; sleep 4814', { onText: () => begun() })
  await started
  expect(await close()).toBe(true)
  expect(await running).toMatchObject({ ended: 'cancelled', text: 'begun\n' })
  expect(await hasEnded('sleep 4814')).toBe(true)
})

test('output without end waits for its reader', async () => {
  const { step, close } = await jobs.begin()
  let bytes = 0
  const controller = new AbortController()
  const before = process.memoryUsage.rss()
  const result = await (async () => {
    const { job } = await jobs.begin()
    return job.step({
      script: 'yes hearthyes',
      signal: controller.signal,
      output: async (part) => {
        bytes += part.length
        if (bytes > 200_000) controller.abort()
        else await Bun.sleep(20)
      },
    })
  })()
  expect(result.ended).toBe('cancelled')
  expect(process.memoryUsage.rss() - before).toBeLessThan(100 * MIB)
  await step('true')
  await close()
})

test('links that a job made lead no write of the server elsewhere', async () => {
  const outside = join(jobs.data, 'outside')
  mkdirSync(outside)
  const { step, place } = await jobs.begin()
  await step(`for d in files temp tools; do rm -rf /job/$d/*; ln -s ${outside} /job/$d/link; done`)
  await step('rm -rf /work/site/site; ln -s / /job/files/1; echo x >/job/files/link/x')
  expect(readdirSync(outside)).toEqual([])
  expect(existsSync(place.build)).toBe(true)
})

test('runs without a sandbox where the operator has switched it off', async () => {
  const plain = await makeJobs({ isolation: 'none' })
  const { step, job, close } = await plain.begin()
  expect(await step('pwd; echo err >&2; exit 4')).toMatchObject({
    exit_code: 4,
    text: `${job.paths.workspace}\nerr\n`,
  })
  const controller = new AbortController()
  const cancelled = await step('echo begun; sleep 4815', {
    signal: controller.signal,
    onText: () => controller.abort(),
  })
  expect(cancelled).toMatchObject({ ended: 'cancelled' })
  await step('sleep 4816 & true')
  expect(await close()).toBe(true)
  expect(await hasEnded('sleep 4816')).toBe(true)
})
