/** The workflows that are measured, each of one job or of one matrix. */

export const JOBS = 100
export const STEPS = 50

const workflow = (label: string, job: string): string =>
  `name: Bench\non: push\njobs:\n  bench:\n    runs-on: ${label}\n${job}`
const STEP = '      - run: "true"\n'

export const oneStep = (label: string): string => workflow(label, `    steps:\n${STEP}`)

export const manySteps = (label: string): string =>
  workflow(label, `    steps:\n${STEP.repeat(STEPS)}`)

export const manyJobs = (label: string, count: number = JOBS): string => {
  const numbers = Array.from({ length: count }, (_, n) => n).join(', ')
  return workflow(label, `    strategy: { matrix: { n: [${numbers}] } }\n    steps:\n${STEP}`)
}

/** Prints the time in nanoseconds, for `Site.firstLine`. */
export const timeLine = (label: string): string =>
  workflow(label, '    steps:\n      - run: echo "now $(date +%s%N)"\n')

/** What prints so many lines of about 100 bytes. */
export const printLines = (lines: number): string =>
  `seq 1 ${lines} | sed 's/$/ of a long log that a build of something large prints, with one line for each of its files/'`

/** Jobs that print at the same time. */
export const longLog = (label: string, lines: number, jobs = 1): string => {
  const numbers = Array.from({ length: jobs }, (_, n) => n).join(', ')
  const text = `      - run: ${JSON.stringify(printLines(lines))}\n`
  return workflow(label, `    strategy: { matrix: { n: [${numbers}] } }\n    steps:\n${text}`)
}
