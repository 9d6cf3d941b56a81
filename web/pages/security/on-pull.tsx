// What a pull request changes in the packages of its lock files.
import { ECOSYSTEM_NAMES, type DependencyReview } from '#features/security/index.ts'
import { Badge, Card, firstItems, htmlBytes, Icon, List, Row } from '../../components/index.ts'
import { t, texts, tn } from '../../text.ts'
import { SeverityChip } from './severity.tsx'

type Change = DependencyReview['changes'][number]
type Advisory = Change['opens'][number]

/** What the conversation shows of the packages. A page of its own has all. */
const MAX_SHOWN = 10
const MAX_BYTES = 10_000
const ROW_BYTES = 700

const KINDS = texts({ added: 'Added', removed: 'Removed', updated: 'Updated' })

const kindOf = ({ before, after }: Change): keyof typeof KINDS =>
  before.length === 0 ? 'added' : after.length === 0 ? 'removed' : 'updated'

const versionsOf = ({ before, after }: Change): string =>
  [before, after]
    .filter((versions) => versions.length > 0)
    .map((versions) => versions.join(', '))
    .join(' → ')

const AdvisoryLine = ({ of, kind }: { of: Advisory; kind: 'opens' | 'mends' }) => (
  <p class="row-text">
    {kind === 'opens' ? t('Introduces') : t('Fixes')}{' '}
    {of.url === null ? (
      <code>{of.id}</code>
    ) : (
      <a href={of.url} rel="noreferrer nofollow">
        {of.id}
      </a>
    )}
    {': '}
    {of.summary}
    {kind === 'opens' && of.fixed_in !== null && (
      <> ({t('fixed in {version}', { version: of.fixed_in })})</>
    )}{' '}
    {of.severity && <SeverityChip severity={of.severity} />}
  </p>
)

const ChangeRow = ({ change }: { change: Change }) => (
  <Row
    mark={<Icon name={change.opens.length > 0 ? 'warning' : 'package'} />}
    title={
      <>
        <code>{change.name}</code> {versionsOf(change)}
      </>
    }
    meta={
      <>
        <span>{ECOSYSTEM_NAMES[change.type]}</span>
        <span>
          <code>{change.manifest}</code>
        </span>
        {change.license !== null && <span>{change.license}</span>}
        {change.scope === 'development' && <span>{t('Development')}</span>}
      </>
    }
    end={<Badge>{KINDS[kindOf(change)]}</Badge>}
  >
    {change.opens.map((one) => (
      <AdvisoryLine of={one} kind="opens" />
    ))}
    {change.mends.map((one) => (
      <AdvisoryLine of={one} kind="mends" />
    ))}
  </Row>
)

const changeBytes = (change: Change): number =>
  ROW_BYTES + htmlBytes(JSON.stringify([change.name, change.opens, change.mends]))

export const ChangeList = ({ changes }: { changes: readonly Change[] }) => (
  <List label={t('Changed dependencies')}>
    {changes.map((change) => (
      <ChangeRow change={change} />
    ))}
  </List>
)

/** One line that says what matters most. */
function Summary({ changes, left_out }: DependencyReview) {
  const count = (of: (change: Change) => number) =>
    changes.reduce((sum, change) => sum + of(change), 0)
  const [opens, mends] = [count((one) => one.opens.length), count((one) => one.mends.length)]
  return (
    <p>
      {tn('{count} package changes.', '{count} packages change.', changes.length + left_out)}{' '}
      {opens > 0 &&
        tn(
          'It introduces {count} known vulnerability.',
          'It introduces {count} known vulnerabilities.',
          opens,
        )}{' '}
      {mends > 0 &&
        tn('It fixes {count} vulnerability.', 'It fixes {count} vulnerabilities.', mends)}
    </p>
  )
}

export const DependencyReviewCard = ({
  review,
  href,
}: {
  review: DependencyReview | null
  /** The page with all packages. */
  href: string
}) => {
  if (review === null) return null
  const shown = firstItems(review.changes.slice(0, MAX_SHOWN), MAX_BYTES, changeBytes)
  const rest = review.changes.length - shown.length
  return (
    <Card title={t('Dependencies')}>
      <Summary {...review} />
      <ChangeList changes={shown} />
      {rest > 0 && (
        <p>
          <a href={href}>{tn('{count} more package', '{count} more packages', rest)}</a>
        </p>
      )}
    </Card>
  )
}
