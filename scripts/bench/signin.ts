/**
 * How much a crowd at the sign-in page slows down everybody else: the 99th percentile of a simple
 * GET while 20 people sign in without pause, as a ratio to the same when nobody does. The two take
 * turns, so that other work on the machine weighs on both. Prints what it measured; it holds
 * nothing against a limit, because that depends on the machine. `bun scripts/bench/signin.ts
 * [seconds of a turn] [turns]`
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openHearth } from '#src/app.ts'
import { loadConfig } from '#src/config.ts'
import { writeAs } from '#core/write.ts'
import { insertUser } from '#features/accounts/store/users.ts'
import { silentLog } from '#lib/log.ts'
import { PasswordHasher } from '#lib/password/password.ts'
import { typeId } from '#core/ids.ts'

const PEOPLE = 20
const READERS = 4
const PASSWORD = 'correct horse battery'
const seconds = Number(process.argv[2] ?? 2)
const turns = Number(process.argv[3] ?? 5)
const root = join(import.meta.dir, '../..')
const data = mkdtempSync(join(tmpdir(), 'hearth-bench-signin-'))

async function makePeople(): Promise<void> {
  const hearth = openHearth({
    settings: loadConfig({ data }, {}).settings({ host: '127.0.0.1', port: 0 }),
    log: silentLog,
  })
  const password_hash = await new PasswordHasher().hash(PASSWORD)
  await writeAs(hearth, null, (tx) => {
    for (let n = 0; n < PEOPLE; n++) {
      insertUser(tx, {
        id: typeId('usr', tx.now_ms),
        username: `person-${n}`,
        email: `person-${n}@example.com`,
        name: null,
        password_hash,
        verified: true,
        site_admin: n === 0,
      })
    }
  })
  await hearth.close()
}

async function serve(): Promise<{ url: string; stop: () => Promise<unknown> }> {
  const child = Bun.spawn(
    [process.execPath, 'src/main.ts', 'serve', '--data', data, '--listen', '127.0.0.1:0'],
    { cwd: root, stdout: 'pipe', stderr: 'ignore' },
  )
  const reader = child.stdout.getReader()
  let text = ''
  while (!text.includes('\n')) {
    const { done, value } = await reader.read()
    if (done) throw new Error('the forge did not start')
    text += new TextDecoder().decode(value)
  }
  const url = /listening on (\S+)/.exec(text)?.[1]
  if (!url) throw new Error(`the forge said ${text}`)
  return { url, stop: () => (child.kill(), child.exited) }
}

/** Signs one person in again and again until told to stop. Gives how often. */
async function signInRepeatedly(
  url: string,
  login: string,
  running: () => boolean,
): Promise<number> {
  const page = await fetch(`${url}/login`)
  const cookie = page.headers
    .getSetCookie()
    .map((one) => one.split(';')[0])
    .join('; ')
  const csrf = /name="csrf" value="([\w-]+)"/.exec(await page.text())?.[1] ?? ''
  let done = 0
  while (running()) {
    const response = await fetch(`${url}/login`, {
      method: 'POST',
      redirect: 'manual',
      headers: { cookie },
      body: new URLSearchParams({ csrf, login, password: PASSWORD }),
    })
    await response.text()
    if (response.status !== 303) throw new Error(`signing in answered ${response.status}`)
    done++
  }
  return done
}

/** Milliseconds of every GET in these seconds, sorted. */
async function measure(url: string): Promise<number[]> {
  const times: number[] = []
  const end = performance.now() + seconds * 1000
  await Promise.all(
    Array.from({ length: READERS }, async () => {
      while (performance.now() < end) {
        const before = performance.now()
        await (await fetch(`${url}/api/version`)).text()
        times.push(performance.now() - before)
      }
    }),
  )
  return times.sort((a, b) => a - b)
}

const at = (times: readonly number[], part: number): number =>
  times[Math.min(times.length - 1, Math.floor(times.length * part))] ?? 0
const line = (name: string, times: readonly number[]): string =>
  `${name.padEnd(24)} ${String(times.length).padStart(7)} requests   p50 ${at(times, 0.5).toFixed(2)} ms   p99 ${at(times, 0.99).toFixed(2)} ms   worst ${at(times, 1).toFixed(2)} ms\n`

try {
  await makePeople()
  const { url, stop } = await serve()
  try {
    await measure(url)
    const idle: number[][] = []
    const busy: number[][] = []
    let signed = 0
    for (let turn = 0; turn < turns; turn++) {
      idle.push(await measure(url))
      let running = true
      const crowd = Promise.all(
        Array.from({ length: PEOPLE }, (_, n) =>
          signInRepeatedly(url, `person-${n}`, () => running),
        ),
      )
      busy.push(await measure(url))
      running = false
      signed += (await crowd).reduce((sum, one) => sum + one, 0)
    }
    const together = (all: readonly number[][]): number[] => all.flat().sort((a, b) => a - b)
    const ratios = idle
      .map((times, turn) => at(busy[turn] ?? [], 0.99) / at(times, 0.99))
      .sort((a, b) => a - b)
    process.stdout.write(line('nobody signs in', together(idle)))
    process.stdout.write(line(`${PEOPLE} people sign in`, together(busy)))
    process.stdout.write(
      `${signed} sign-ins in ${seconds * turns} seconds; p99 is ${at(ratios, 0.5).toFixed(2)} times that of the idle forge (median of ${turns} turns: ${ratios.map((ratio) => ratio.toFixed(2)).join(', ')})\n`,
    )
  } finally {
    await stop()
  }
} finally {
  rmSync(data, { recursive: true, force: true })
}
