// Alerts that were opened and closed in each of the last weeks.
import type { WeekCounts } from '#features/security/index.ts'
import { Card, RelativeTime } from '../../components/index.ts'
import type { Visit } from '../../site.ts'
import { formatNumber } from '../../format.ts'
import { t } from '../../text.ts'

export const TrendCard = ({ visit, weeks }: { visit: Visit; weeks: readonly WeekCounts[] }) => {
  const busy = weeks.filter(({ opened, closed }) => opened + closed > 0)
  return (
    <Card title={t('Last 12 weeks')}>
      {busy.length === 0 ? (
        <p class="muted">{t('No alert was opened or closed.')}</p>
      ) : (
        <div class="table-scroll">
          <table class="plain-table">
            <thead>
              <tr>
                {[t('Week from'), t('Opened'), t('Closed')].map((name) => (
                  <th scope="col">{name}</th>
                ))}
              </tr>
            </thead>
            <tbody>
              {busy.toReversed().map(({ from, opened, closed }) => (
                <tr>
                  <th scope="row">
                    <RelativeTime at={from} now={visit.hearth.clock.now()} />
                  </th>
                  <td class="nums">{formatNumber(opened)}</td>
                  <td class="nums">{formatNumber(closed)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Card>
  )
}
