/**
 * Lets racers loose on one repository of a forge that is killed under them, and asks whether refs
 * behaved as if moved one push at a time.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Random } from '../crash/random.ts'
import { claim, OWNER, startForge, type ForgeProcess } from '../../../scripts/support/forge.ts'
import { git } from '../../../scripts/support/git.ts'
import { linearize, type Event, type Push } from './linear.ts'
import { EMPTY_TREE, post, Racer, Strange, type Address } from './racer.ts'
import { commitText, idOf, makePack } from '../../git/support/packs.ts'
import { ZERO } from '../../git/support/raw.ts'
import { FLUSH, pkt } from '../../../src/git/protocol/pkt-line.ts'

export type RaceOptions = {
  executable: string
  seed: number
  racers: number
  refs: number
  /** Lives of the forge; each but the last ends by `kill -9`. */
  lives: number
  /**
   * Milliseconds of a life; the last goes on until so many were refused because somebody was first.
   */
  length: number
  least?: number
  say?: (line: string) => void
}

export type RaceReport = {
  readonly reads: number
  /** Moves that were asked for: made, refused because somebody was first, and without an answer. */
  readonly moved: number
  readonly refused: number
  readonly unknown: number
  /** Steps of the search for an order. */
  readonly steps: number
  readonly problems: string[]
}

export async function runRace({
  executable,
  seed,
  racers,
  refs,
  lives,
  length,
  least = 0,
  say = () => {},
}: RaceOptions): Promise<RaceReport> {
  const directory = mkdtempSync(join(tmpdir(), 'hearth-race-'))
  const random = new Random(seed)
  const home = join(directory, 'data')
  const start = () =>
    startForge({
      executable,
      data: home,
      log: join(directory, 'serve.log'),
      environment: { HEARTH_LOG_LEVEL: 'warn' },
    })
  const names = Array.from({ length: refs }, (_, at) => `refs/heads/race-${at}`)
  const events: Event[] = []
  const problems: string[] = []
  let forge: ForgeProcess | null = null
  try {
    forge = await start()
    const { token } = await claim(forge)
    const made = await fetch(`${forge.url}/api/v1/repos`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ workspace: OWNER.workspace, name: 'race', private: true }),
    })
    if (!made.ok) throw new Error(`no repository was made: ${await made.text()}`)
    // The first branch becomes the default one, and is protected.
    const data = commitText(EMPTY_TREE, [], 'begin\n')
    const first = Buffer.concat([
      pkt(`${ZERO} ${idOf('commit', data)} refs/heads/main\0report-status`),
      FLUSH,
      makePack([
        { type: 'tree', data: '' },
        { type: 'commit', data },
      ]),
    ])
    await post(
      { url: `${forge.url}/${OWNER.workspace}/race.git`, token },
      'git-receive-pack',
      first,
    )
    let sent: () => void = () => {}
    const all = Array.from(
      { length: racers },
      (_, at) => new Racer(`racer ${at}`, names, random.branch(), events, () => sent()),
    )
    for (let life = 0; life < lives && problems.length === 0; life++) {
      const address: Address = { url: `${forge.url}/${OWNER.workspace}/race.git`, token }
      const until = performance.now() + length
      const last = life === lives - 1
      let over = false
      const work = all.map(async (racer) => {
        try {
          while (!over && (!last || performance.now() < until || count(events).refused < least))
            await racer.step(address)
        } catch (error) {
          if (error instanceof Strange || !over)
            problems.push(error instanceof Error ? error.message : String(error))
        }
      })
      let dead = Infinity
      if (!last) {
        await Bun.sleep(length)
        // The moments between a transaction and its answer are short: aim at them.
        await Promise.race([new Promise<void>((resolve) => (sent = resolve)), Bun.sleep(500)])
        await Bun.sleep(random.between(0, 8))
        over = true
        await forge.kill()
        dead = performance.now()
      }
      await Promise.all(work)
      // What has no answer when the process is gone happened before that, or never.
      events.forEach((event, at) => {
        if (event.ended === Infinity) events[at] = { ...event, ended: dead }
      })
      if (!last) forge = await start()
      say(`life ${life + 1} of ${lives}: ${inWords(count(events))}`)
    }
    const verdict = linearize(
      events,
      names.map(() => null),
    )
    if (!verdict.fits)
      problems.push(`after ${verdict.at} of ${events.length} events: ${verdict.why}`)
    if ((await forge.stop()) !== 0) problems.push('the forge did not stop cleanly')
    forge = null
    const stores = [
      ...new Bun.Glob('*/objects').scanSync({ cwd: join(home, 'repos'), onlyFiles: false }),
    ]
    for (const store of stores)
      await git(
        join(home, 'repos', store, '..'),
        'fsck',
        '--full',
        '--strict',
        '--no-dangling',
        '--no-progress',
      )
    return { ...count(events), steps: verdict.fits ? verdict.steps : 0, problems }
  } finally {
    await forge?.kill()
    if (problems.length === 0) rmSync(directory, { recursive: true, force: true })
    else say(`everything is kept in ${directory}`)
  }
}

function count(events: readonly Event[]): {
  reads: number
  moved: number
  refused: number
  unknown: number
} {
  const pushes = events.filter((event): event is Push => event.kind === 'push')
  const moves = pushes.flatMap(({ moved }) => moved ?? [])
  return {
    reads: events.length - pushes.length,
    moved: moves.filter(Boolean).length,
    refused: moves.filter((made) => !made).length,
    unknown: pushes.filter(({ moved }) => moved === null).length,
  }
}

export const inWords = ({
  reads,
  moved,
  refused,
  unknown,
}: Omit<RaceReport, 'steps' | 'problems'>): string =>
  `${moved} moves made, ${refused} refused because another was first, ${unknown} pushes without an answer, ${reads} reads`
