// What a pull request changes in the packages of its lock files.
import { ECOSYSTEM_NAMES, type DependencyReview } from '#features/security/index.ts'
import { Badge, Card, Icon, List, Row } from '../../components/index.ts'
import { t, texts, tn } from '../../text.ts'
import { SeverityChip } from './severity.tsx'

type Change = DependencyReview['changes'][number]
type Advisory = Change['opens'][number]

/** So many packages are shown before the rest is folded. */
const MAX_SHOWN = 10

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

const ChangeList = ({ changes }: { changes: readonly Change[] }) => (
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

export const DependencyReviewCard = ({ review }: { review: DependencyReview | null }) => {
  if (review === null) return null
  const rest = review.changes.slice(MAX_SHOWN)
  return (
    <Card title={t('Dependencies')}>
      <Summary {...review} />
      <ChangeList changes={review.changes.slice(0, MAX_SHOWN)} />
      {rest.length > 0 && (
        <details>
          <summary>{tn('{count} more package', '{count} more packages', rest.length)}</summary>
          <ChangeList changes={rest} />
        </details>
      )}
    </Card>
  )
}
