// What the page of a package shows below its versions: downloads, dependents, parts of an image.
import type { ImageParts, Package } from '#features/packages/index.ts'
import { Card, Chip, Facts, Icon, List, RelativeTime, Row } from '../../components/index.ts'
import { bytesText, formatNumber } from '../../format.ts'
import { raw } from '../../jsx/html.ts'
import { t, texts, tn } from '../../text.ts'
import { columnChart } from '../repos/charts.ts'
import { packagePath } from './package-parts.tsx'

const SHOWN_DAYS = 30
const DAY_MS = 86_400_000

type Day = { readonly day: string; readonly count: number }

/** The days up to the last one with downloads, those without any too. */
function everyDay(days: readonly Day[]): Day[] {
  const last = Date.parse(days.at(-1)?.day ?? '')
  const counts = new Map(days.map(({ day, count }) => [day, count]))
  return Array.from({ length: SHOWN_DAYS }, (_, index) => {
    const day = new Date(last - (SHOWN_DAYS - 1 - index) * DAY_MS).toISOString().slice(0, 10)
    return { day, count: counts.get(day) ?? 0 }
  })
}

/** Columns by day. The numbers stand below, because a drawing tells nobody who cannot see it. */
export const DownloadsCard = ({ days }: { days: readonly Day[] }) => {
  if (days.length === 0) return null
  const all = everyDay(days)
  const total = days.reduce((sum, { count }) => sum + count, 0)
  return (
    <Card title={t('Downloads of the last 30 days')} level={3}>
      <p class="muted">{tn('{count} download', '{count} downloads', total)}</p>
      {raw(columnChart(all.map(({ count }) => count)))}
      <p class="chart-axis muted small" aria-hidden="true">
        <span>{all[0]?.day}</span>
        <span>{all.at(-1)?.day}</span>
      </p>
      <details class="row-more">
        <summary>{t('Downloads by day')}</summary>
        <Facts facts={days.map(({ day, count }) => ({ label: day, value: formatNumber(count) }))} />
      </details>
    </Card>
  )
}

export const DependentsCard = (props: {
  item: Package
  dependents: readonly { readonly name: string; readonly version: string }[]
}) =>
  props.dependents.length === 0 ? null : (
    <List
      label={t('Used by packages of this workspace')}
      head={t('Used by packages of this workspace')}
    >
      {props.dependents.map(({ name, version }) => (
        <Row
          mark={<Icon name="package" />}
          title={
            <a class="strong" href={packagePath({ ...props.item, name })}>
              {name}
            </a>
          }
          meta={<span class="mono">{version}</span>}
        />
      ))}
    </List>
  )

const KINDS = texts({
  signature: 'Signature',
  sbom: 'Software bill of materials',
  provenance: 'Provenance',
  other: 'Attachment',
})

/** The platforms of an index, and the manifests about the image. */
export const ImageCards = ({ image }: { image: ImageParts }) => (
  <>
    {image.platforms.length > 0 && (
      <List label={t('Platforms')} head={t('Platforms')}>
        {image.platforms.map(({ digest, name, size_in_bytes }) => (
          <Row
            mark={<Icon name="package" />}
            title={<span class="strong">{name === '' ? t('Unknown platform') : name}</span>}
            meta={
              <>
                <span class="mono break">{digest}</span>
                <span>{bytesText(size_in_bytes)}</span>
              </>
            }
          />
        ))}
      </List>
    )}
    {image.referrers.length > 0 && (
      <List label={t('Signatures and attachments')} head={t('Signatures and attachments')}>
        {image.referrers.map((referrer) => (
          <Row
            mark={<Icon name="lock" />}
            title={<span class="strong">{KINDS[referrer.kind]}</span>}
            meta={
              <>
                {referrer.artifact_type !== null && <Chip>{referrer.artifact_type}</Chip>}
                <span class="mono break">{referrer.digest}</span>
                <span>{bytesText(referrer.size_in_bytes)}</span>
                <RelativeTime at={referrer.pushed_at} />
              </>
            }
          />
        ))}
      </List>
    )}
  </>
)
