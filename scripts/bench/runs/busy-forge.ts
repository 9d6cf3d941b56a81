/** What logs at full speed cost the forge, and those who read its pages meanwhile. */
import { ratio, table } from '../forge/table.ts'
import { printLines, longLog } from './workflows.ts'
import type { Site } from './site.ts'
import { HERE } from './walls.ts'

/** 100 bytes a line. */
const LINES_OF_100_MB = 1_000_000
const SAMPLE_MS = 50
const READS = 400
const LOGGING_JOBS = 4
/** More than the jobs print while pages are read. */
const LINES_OF_A_JOB = 1_500_000

/** The 99th percentile of reads of a page, one after the other. */
async function p99(site: Site): Promise<number> {
  const times: number[] = []
  for (let n = 0; n < READS; n++) {
    const began = performance.now()
    const answer = await fetch(`${site.url}/acme/bench`)
    await answer.text()
    if (answer.status !== 200) throw new Error(`the page answered ${answer.status}`)
    times.push(performance.now() - began)
  }
  return times.toSorted((a, b) => a - b)[Math.floor(READS * 0.99)] ?? 0
}

/** While as many processes as jobs print the same into nothing, without the forge. */
async function besideLoad(site: Site): Promise<number> {
  const script = `${printLines(LINES_OF_A_JOB)} >/dev/null`
  const children = Array.from({ length: LOGGING_JOBS }, () => Bun.spawn(['bash', '-c', script]))
  const found = await p99(site)
  for (const child of children) child.kill('SIGKILL')
  return found
}

async function whileLogging(site: Site): Promise<number> {
  const run = site.run(longLog(HERE, LINES_OF_A_JOB, LOGGING_JOBS))
  await site.whenLogging()
  const found = await p99(site)
  await run
  return found
}

/** Processor time and memory that a log of 100 MB costs the forge. */
async function costOfLog(site: Site): Promise<{ seconds: number; mib: number }> {
  const [cpu, memory] = [site.cpuSeconds, site.memory]
  let highest = memory
  const sampler = setInterval(() => (highest = Math.max(highest, site.memory)), SAMPLE_MS)
  await site.run(longLog(HERE, LINES_OF_100_MB))
  clearInterval(sampler)
  return { seconds: site.cpuSeconds - cpu, mib: highest - memory }
}

export async function measureBusyForge(site: Site): Promise<string> {
  await p99(site)
  const { seconds, mib } = await costOfLog(site)
  const idle = await p99(site)
  const loaded = await besideLoad(site)
  const logging = await whileLogging(site)
  const log = table(
    ['A log of 100 MB', 'of the forge', 'goal'],
    [
      ['processor time, s', seconds.toFixed(2), '1.5'],
      ['more memory at most, MiB', mib.toFixed(0), '40'],
    ],
  )
  const pages = table(
    ['p99 of a page', 'ms', 'idle', 'ratio', 'goal'],
    [
      [
        `while ${LOGGING_JOBS} jobs log at full speed`,
        logging.toFixed(1),
        idle.toFixed(1),
        ratio(logging / idle),
        '1.5',
      ],
      [
        'while the same is printed into nothing, without the forge',
        loaded.toFixed(1),
        idle.toFixed(1),
        ratio(loaded / idle),
        '',
      ],
    ],
  )
  return `${log}\n${pages}`
}
