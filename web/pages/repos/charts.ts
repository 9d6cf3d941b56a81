// Charts as SVG. They are decoration: tables beside them have the numbers.

/** Weeks, months, quarters or years, so that no chart has more columns than it can show. */
export type Period = {
  readonly label: string
  readonly commits: number
  readonly additions: number
  readonly deletions: number
}
type Week = Omit<Period, 'label'> & { readonly week: string }

const MAX_PERIODS = 104
const WIDTH = 520
const HEIGHT = 100
const DAY_MS = 86_400_000

/** The period of a day, from the finest division to the coarsest. */
const DIVISIONS: readonly ((day: string) => string)[] = [
  (day) => day,
  (day) => day.slice(0, 7),
  (day) => `${day.slice(0, 4)} Q${Math.ceil(Number(day.slice(5, 7)) / 3)}`,
  (day) => day.slice(0, 4),
]

/** All Mondays from the first to the last. */
function mondays(first: string, last: string): string[] {
  const days: string[] = []
  for (let at = Date.parse(first); at <= Date.parse(last); at += 7 * DAY_MS)
    days.push(new Date(at).toISOString().slice(0, 10))
  return days
}

/** The label of the period that a week belongs to, and all labels in order. */
export type Scale = { readonly labels: readonly string[]; labelOf(week: string): string }

export function scaleOf(weeks: readonly { readonly week: string }[]): Scale {
  const [first, last] = [weeks[0]?.week, weeks.at(-1)?.week]
  const days = first === undefined || last === undefined ? [] : mondays(first, last)
  const scales = DIVISIONS.map((labelOf) => ({ labels: [...new Set(days.map(labelOf))], labelOf }))
  const fits = scales.find(({ labels }) => labels.length <= MAX_PERIODS) ?? scales.at(-1)
  return fits ?? { labels: [], labelOf: (day) => day }
}

/** Every period of a scale, those without commits too. */
export function periodsOf(scale: Scale, weeks: readonly Week[]): Period[] {
  const periods = new Map(
    scale.labels.map((label) => [label, { label, commits: 0, additions: 0, deletions: 0 }]),
  )
  for (const { week, commits, additions, deletions } of weeks) {
    const period = periods.get(scale.labelOf(week))
    if (!period) continue
    period.commits += commits
    period.additions += additions
    period.deletions += deletions
  }
  return [...periods.values()]
}

const round = (value: number): number => Math.round(value * 10) / 10

/** Columns as one path. Values that are not 0 have at least one unit of height. */
function columns(
  values: readonly number[],
  { most, base, height, sign }: { most: number; base: number; height: number; sign: 1 | -1 },
): string {
  const step = WIDTH / values.length
  const width = round(Math.min(step * 0.8, 40))
  return values
    .map((value, index) => {
      if (value === 0) return ''
      const tall = round(Math.max(1, (value / most) * height))
      const x = round(index * step + (step - width) / 2)
      return sign > 0
        ? `M${x} ${round(base - tall)}h${width}v${tall}h-${width}z`
        : `M${x} ${base}h${width}v${tall}h-${width}z`
    })
    .join('')
}

const drawing = (kind: string, content: string): string =>
  `<svg class="chart ${kind}" viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" aria-hidden="true">${content}</svg>`

/** One column for each value. */
export const columnChart = (values: readonly number[], most = Math.max(1, ...values)): string =>
  drawing(
    'chart-columns',
    `<path d="${columns(values, { most, base: HEIGHT, height: HEIGHT, sign: 1 })}"/><path class="chart-line" d="M0 ${HEIGHT}h${WIDTH}"/>`,
  )

/** Additions above a line, deletions below it. */
export function frequencyChart(periods: readonly Period[]): string {
  const most = Math.max(1, ...periods.flatMap(({ additions, deletions }) => [additions, deletions]))
  const half = { most, base: HEIGHT / 2, height: HEIGHT / 2 }
  const added = columns(
    periods.map(({ additions }) => additions),
    { ...half, sign: 1 },
  )
  const deleted = columns(
    periods.map(({ deletions }) => deletions),
    { ...half, sign: -1 },
  )
  return drawing(
    'chart-frequency',
    `<path class="chart-add" d="${added}"/><path class="chart-del" d="${deleted}"/><path class="chart-line" d="M0 ${HEIGHT / 2}h${WIDTH}"/>`,
  )
}

/** One part of a bar for each share, in the colours of labels. */
export function shareBar(shares: readonly { readonly percent: number; readonly fill: string }[]) {
  let at = 0
  const parts = shares.map(({ percent, fill }) => {
    const x = at
    at += percent
    return `<rect x="${round(x * 10)}" width="${round(percent * 10)}" height="10" fill="${fill}"/>`
  })
  return `<svg class="share-bar" viewBox="0 0 1000 10" preserveAspectRatio="none" aria-hidden="true">${parts.join('')}</svg>`
}
