// A year of contributions, one square per day, with the numbers of each month as text.
import { formatNumber, monthName } from '../../format.ts'
import { raw } from '../../jsx/html.ts'
import { t, tn } from '../../text.ts'

export type Contributions = {
  readonly total: number
  readonly days: readonly { readonly day: string; readonly count: number }[]
}

const SIZE = 10
const STEP = 13
const TOP = 16
const nameOf = (month: string): string =>
  `${monthName(Number(month.slice(5, 7)))} ${month.slice(0, 4)}`

/** Four shades, by quarters of the busiest day. */
const levelOf = (count: number, most: number): number =>
  count === 0 ? 0 : Math.min(4, Math.ceil((count / most) * 4))

const square = (index: number): string =>
  `x="${Math.floor(index / 7) * STEP}" y="${TOP + (index % 7) * STEP}" width="${SIZE}" height="${SIZE}"`

function drawing({ days, total }: Contributions): string {
  const most = Math.max(...days.map(({ count }) => count))
  const width = Math.ceil(days.length / 7) * STEP
  const marks: string[] = []
  const empty: string[] = []
  for (const [index, { day, count }] of days.entries()) {
    const [x, y] = [Math.floor(index / 7) * STEP, TOP + (index % 7) * STEP]
    if (day.endsWith('-01') && x < width - 2 * STEP)
      marks.push(
        `<text x="${x}" y="10">${Bun.escapeHTML(monthName(Number(day.slice(5, 7))))}</text>`,
      )
    if (count === 0) empty.push(`M${x} ${y}h${SIZE}v${SIZE}h-${SIZE}z`)
    else
      marks.push(
        `<rect ${square(index)} rx="2" class="level-${levelOf(count, most)}"><title>${Bun.escapeHTML(tn('{count} contribution on {day}', '{count} contributions on {day}', count, { day }))}</title></rect>`,
      )
  }
  return `<svg class="year" viewBox="0 0 ${width} ${TOP + 7 * STEP}" role="img" aria-label="${Bun.escapeHTML(tn('{count} contribution in the last year, by day', '{count} contributions in the last year, by day', total))}"><path class="level-0" d="${empty.join('')}"/>${marks.join('')}</svg>`
}

export const ContributionYear = ({ contributions }: { contributions: Contributions }) => {
  const months = [...Map.groupBy(contributions.days, ({ day }) => day.slice(0, 7))].map(
    ([month, days]) => ({ month, count: days.reduce((sum, { count }) => sum + count, 0) }),
  )
  return (
    <section class="year-box" aria-label={t('Contributions')}>
      <h2>
        {tn(
          '{count} contribution in the last year',
          '{count} contributions in the last year',
          contributions.total,
        )}
      </h2>
      <section class="year-scroll" tabindex="0" aria-label={t('Contributions by day')} data-dated>
        {raw(drawing(contributions))}
      </section>
      <details class="more">
        <summary>{t('Month by month')}</summary>
        <table class="plain-table" aria-label={t('Month by month')}>
          <thead>
            <tr>
              <th scope="col">{t('Month')}</th>
              <th scope="col">{t('Contributions')}</th>
            </tr>
          </thead>
          <tbody>
            {months.map(({ month, count }) => (
              <tr>
                <th scope="row">{nameOf(month)}</th>
                <td class="nums">{formatNumber(count)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </section>
  )
}
