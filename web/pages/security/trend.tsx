// Alerts that were opened and closed in each of the last weeks.
import type { WeekCounts } from '#features/security/index.ts'
import { Card } from '../../components/index.ts'
import { currentTimeFormats, formatNumber } from '../../format.ts'
import { formatDate } from '../../relative.ts'
import { t } from '../../text.ts'

export const TrendCard = ({ weeks }: { weeks: readonly WeekCounts[] }) => {
  const busy = weeks.filter(({ opened, closed }) => opened + closed > 0)
  return (
    <Card title={t('Last 12 weeks')}>
      {busy.length === 0 ? (
        <p class="muted">{t('No alert was opened or closed.')}</p>
      ) : (
        <div class="table-scroll">
          <table class="plain-table" aria-label={t('Last 12 weeks')}>
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
                    <time datetime={from}>
                      {formatDate(Date.parse(from), currentTimeFormats())}
                    </time>
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
