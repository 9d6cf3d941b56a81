/**
 * Random histories of mirrors with faults: `bun test/system/mirror-histories.ts [seeds]`. Prints the
 * first seed that loses a commit and exits with 1, and what each guard prevents.
 */
import { runHistories } from '../features/mirrors/model.ts'

const STEPS = 200
const count = Number(process.argv[2] ?? 2000)
const seeds = Array.from({ length: count }, (_, at) => at + 1)
const whole = runHistories(seeds, STEPS)
console.log(`${count} histories, ${whole.handBacks} hand-backs, ${whole.lost} with a loss`)
if (whole.first !== null) console.log(whole.first)
for (const guard of ['epoch', 'old value', 'keep', 'read again'] as const)
  console.log(`without "${guard}": ${runHistories(seeds, STEPS, guard).lost} with a loss`)
process.exit(whole.lost === 0 ? 0 : 1)
