/**
 * A second machine takes over while clients work, and nothing that was acknowledged is lost beyond
 * what it tells. The first machine, which was killed, is fenced when it comes back, also when it
 * comes back later, and becomes the standby of the other, which hands over to it. With
 * `--namespaces` the link between both is cut instead (needs root and iproute2).
 */
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Life } from './crash/client.ts'
import { cutLink } from './standby/cut-link.ts'
import { Machine } from './standby/machine.ts'
import {
  check,
  requireFenced,
  SETTINGS,
  startPair,
  startWork,
  untilServing,
  type Mode,
} from './standby/round.ts'
import { EXECUTABLE, requireBuilt } from '../../scripts/support/forge.ts'
import { runScript, type Option } from '../../scripts/support/options.ts'
import { freePort } from '../../scripts/support/ports.ts'

const OPTIONS = {
  rounds: { kind: 'count', default: '3', help: 'How often in each mode.' },
  modes: { kind: 'text', default: 'local,standby,lease', help: 'Which modes.' },
  namespaces: { kind: 'flag', default: 'false', help: 'Cuts the link between two namespaces.' },
  contributors: { kind: 'count', default: '4', help: 'Clients that work at once.' },
  seconds: { kind: 'count', default: '6', help: 'How long they work at most before the loss.' },
  executable: { kind: 'text', default: EXECUTABLE, help: 'The built executable.' },
} as const satisfies Record<string, Option>

const say = (line: string): void => void process.stdout.write(`${line}\n`)

type RoundOptions = {
  readonly executable: string
  readonly directory: string
  readonly mode: Mode
  readonly contributors: number
  readonly seconds: number
}

/** The time in the message of a take-over: all that was committed before is there. */
function toldTime(out: string): number {
  const [, time] = /made at (\S+)$/m.exec(out) ?? []
  if (time === undefined) throw new Error(`the take-over told no time: ${out}`)
  return Date.parse(time)
}

async function round({ directory, mode, ...options }: RoundOptions): Promise<string> {
  const [a, b] = [`127.0.0.1:${freePort()}`, `127.0.0.1:${freePort()}`]
  const machine = (name: string, standby: string, peer: string): Machine =>
    new Machine({
      executable: options.executable,
      directory,
      name,
      http: `127.0.0.1:${freePort()}`,
      standby,
      peer,
      namespace: null,
      settings: SETTINGS[mode],
    })
  const [first, second] = [machine('first', a, b), machine('second', b, a)]
  try {
    const { token } = await startPair({ first, second })
    const life: Life = { url: first.url, token, over: false }
    const { clients, done } = await startWork(
      life,
      directory,
      options.contributors,
      Math.floor(Math.random() * 1e9),
    )
    await Bun.sleep(1000 + Math.random() * options.seconds * 1000)
    life.over = true
    await first.kill()
    const killedAt = Date.now()
    await done

    const began = performance.now()
    const told = await second.must('standby', 'takeover', ...(mode === 'local' ? ['--force'] : []))
    await untilServing(second, token)
    const seconds = (performance.now() - began) / 1000
    const after = await check(second.data, directory, clients)
    const surprises = clients.flatMap(({ ledger }) => ledger.surprises)
    if (after.problems.length + surprises.length > 0)
      throw new Error([...after.problems, ...surprises].slice(0, 5).join('\n'))
    if (mode === 'standby' && after.lostAt.length > 0)
      throw new Error(`${after.lostAt.length} confirmed changes were lost`)
    const known = toldTime(told)
    const early = after.lostAt.filter((time) => time < known)
    if (early.length > 0)
      throw new Error(`${early.length} changes from before the told time are lost`)

    await fencedAgain(first, second, token)
    await handBack(first, second, token, directory)
    return `${mode}: ${after.acknowledged} acknowledged, ${after.lostAt.length} lost, the last change of the copy is ${((killedAt - known) / 1000).toFixed(2)} s older than the loss, serving again after ${seconds.toFixed(1)} s`
  } finally {
    await first.kill()
    await second.kill()
  }
}

/** The first machine comes back, with the second there and without it. */
async function fencedAgain(first: Machine, second: Machine, token: string): Promise<void> {
  await first.start('serve')
  await requireFenced(first, token)
  const { status, error } = await first.run(
    'setup',
    '--username',
    'eve',
    '--email',
    'e@example.com',
  )
  if (status === 0) throw new Error('a command changed the fenced machine')
  if (!error.includes('has taken over')) throw new Error(`a command failed otherwise: ${error}`)
  await first.stop()
  await second.stop()
  await first.start('serve')
  await requireFenced(first, token)
  await first.kill()
  await second.start('serve')
}

/** The first machine becomes the standby of the second, which hands over to it. */
async function handBack(
  first: Machine,
  second: Machine,
  token: string,
  directory: string,
): Promise<void> {
  await first.start('standby', 'follow')
  await first.until(/is_following +true/)
  const life: Life = { url: second.url, token, over: false }
  const work = join(directory, 'back')
  mkdirSync(work)
  const issues = async (): Promise<number[]> => {
    const made: number[] = []
    while (!life.over) {
      const answer = await fetch(`${second.url}/api/v1/repos/acme/work/issues`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ title: 'while it hands over' }),
      }).catch(() => null)
      if (answer?.ok) made.push(((await answer.json()) as { number: number }).number)
      else life.over = true
    }
    return made
  }
  const making = Promise.all([issues(), issues()])
  await Bun.sleep(500)
  const told = await first.must('standby', 'takeover')
  if (!told.includes('handed over everything')) throw new Error(`it was not handed over: ${told}`)
  const made = (await making).flat()
  await untilServing(first, token)
  await requireFenced(second, token)
  for (const number of made) {
    const answer = await fetch(`${first.url}/api/v1/repos/acme/work/issues/${number}`, {
      headers: { authorization: `Bearer ${token}` },
    })
    if (!answer.ok) throw new Error(`issue ${number} was lost when the second handed over`)
  }
}

if (import.meta.main) {
  await runScript('bun test/system/standby.ts [options]', OPTIONS, async (options) => {
    const root = mkdtempSync(join(tmpdir(), 'hearth-standby-'))
    const executable = join(root, 'hearth')
    copyFileSync(requireBuilt(options.executable), executable)
    let failed = 0
    for (const mode of options.modes.split(',') as Mode[]) {
      for (let at = 0; at < Number(options.rounds); at++) {
        const directory = join(root, `${mode}-${at}`)
        mkdirSync(directory)
        const of = {
          executable,
          directory,
          mode,
          contributors: Number(options.contributors),
          seconds: Number(options.seconds),
        }
        try {
          say(await (options.namespaces === 'true' ? cutLink(of) : round(of)))
          rmSync(directory, { recursive: true, force: true })
        } catch (error) {
          failed++
          say(`${mode}, in ${directory}: ${error instanceof Error ? error.message : String(error)}`)
        }
      }
    }
    if (failed === 0) rmSync(root, { recursive: true, force: true })
    return failed === 0 ? 0 : 1
  })
}
