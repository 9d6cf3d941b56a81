/**
 * Many random histories of the merge queue with crashes (test/features/queue/histories.ts).
 *
 *   bun test/system/queue-histories.ts [--runs 1000] [--seed 1] [--length 36]
 */
import { parseArgs } from 'node:util'
import { makeTemplate, removeTemplate, runHistory } from '../features/queue/histories.ts'

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '1000' },
    seed: { type: 'string', default: '1' },
    length: { type: 'string', default: '36' },
  },
})
const [runs, seed, length] = [Number(values.runs), Number(values.seed), Number(values.length)]
const template = await makeTemplate()
const total = { landed: 0, failed: 0, removed: 0, crashes: 0 }
const start = performance.now()
try {
  for (let at = seed; at < seed + runs; at++) {
    const told = await runHistory(template, at, length).catch((error: unknown) => {
      process.stderr.write(`seed ${at}\n`)
      throw error
    })
    total.landed += told.landed
    total.failed += told.failed
    total.removed += told.removed
    total.crashes += told.crashes
    if ((at - seed + 1) % 50 === 0)
      process.stdout.write(
        `${at - seed + 1} histories, ${JSON.stringify(total)}, ${Math.round((performance.now() - start) / 1000)} s\n`,
      )
  }
  process.stdout.write(`${runs} histories from seed ${seed}: ${JSON.stringify(total)}\n`)
} finally {
  removeTemplate(template)
}
