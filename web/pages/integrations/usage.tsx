import {
  getModelUsage,
  USAGE_GROUPS,
  type ModelUsage,
  type UsageGroup,
  type UsageRow,
} from '#features/models/index.ts'
import type { Workspace } from '#features/workspaces/index.ts'
import { EmptyState, Facts, LinkButton, PageHead, Tabs } from '../../components/index.ts'
import { formatCost, formatNumber } from '../../format.ts'
import { pullPath } from '../../paths.ts'
import type { Html } from '../../jsx/html.ts'
import { page, type Visit } from '../../site.ts'
import { localized, t, tn } from '../../text.ts'
import { BASE, frame, loadWorkspace, modelsPath, usagePath } from './owner.tsx'

const LABELS: Readonly<Record<UsageGroup, { readonly label: string; readonly head: string }>> =
  localized({
    day: { label: 'By day', head: 'Day' },
    agent: { label: 'By agent', head: 'Agent or person' },
    pull: { label: 'By pull request', head: 'Pull request' },
    task: { label: 'By task', head: 'Task' },
    model: { label: 'By model', head: 'Model' },
  })

/** A cost that nobody knows is not nothing. */
const costText = ({ cost_usd }: UsageRow): string =>
  cost_usd === null ? t('Unknown') : formatCost(cost_usd)

const RowName = ({ by, row }: { by: UsageGroup; row: UsageRow }) => {
  if (by !== 'pull') return <>{row.name ?? row.key}</>
  const [full_name = '', number = ''] = (row.name ?? '').split('#')
  if (row.key === null) return <span class="muted">{t('No pull request')}</span>
  if (number === '') return <span class="muted">{t('Deleted pull request')}</span>
  return <a href={pullPath(full_name, Number(number))}>{row.name}</a>
}

const UsageTable = ({ usage: { by, rows } }: { usage: ModelUsage }) => (
  <section class="table-scroll" tabindex="0" aria-label={LABELS[by].label}>
    <table class="plain-table" aria-label={LABELS[by].label}>
      <thead>
        <tr>
          {[LABELS[by].head, t('Calls'), t('Tokens in'), t('Tokens out'), t('Cost')].map((name) => (
            <th scope="col">{name}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr>
            <th scope="row">
              <RowName by={by} row={row} />
            </th>
            <td class="nums">{formatNumber(row.calls)}</td>
            <td class="nums">{formatNumber(row.input_tokens)}</td>
            <td class="nums">{formatNumber(row.output_tokens)}</td>
            <td class="nums">{costText(row)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </section>
)

/** What the sums do not say. */
const Notes = ({ total }: { total: UsageRow }) => (
  <>
    {total.unpriced_calls > 0 && (
      <p class="muted">
        {tn(
          '{count} call of a model without a price: its cost is not known and not in the sum.',
          '{count} calls of models without a price: their cost is not known and not in the sum.',
          total.unpriced_calls,
        )}{' '}
        {t('Enter prices with the models of the provider.')}
      </p>
    )}
    {total.estimated_calls > 0 && (
      <p class="muted">
        {tn(
          '{count} call whose provider did not report its tokens: they are estimated.',
          '{count} calls whose provider did not report their tokens: they are estimated.',
          total.estimated_calls,
        )}
      </p>
    )}
  </>
)

type Shown = { readonly workspace: Workspace; readonly usage: ModelUsage }

const UsageView = ({ visit, workspace, usage }: Shown & { visit: Visit }): Html => {
  const { slug } = workspace
  const { total, by } = usage
  return frame(
    visit,
    workspace,
    t('Model usage'),
    'models',
    <>
      <PageHead
        title={t('Model usage')}
        lead={t('What the models of {name} have cost in the last 30 days.', { name: slug })}
        actions={<LinkButton href={modelsPath(slug)}>{t('Models')}</LinkButton>}
      />
      {total.calls === 0 ? (
        <EmptyState icon="agent" title={t('No calls yet')}>
          {t('When agents work, each call of a model is counted here.')}{' '}
          <a href={modelsPath(slug)}>{t('Choose models')}</a>
        </EmptyState>
      ) : (
        <>
          <Facts
            facts={[
              { label: t('Cost'), value: costText(total) },
              { label: t('Calls'), value: formatNumber(total.calls) },
              { label: t('Tokens in'), value: formatNumber(total.input_tokens) },
              { label: t('Tokens out'), value: formatNumber(total.output_tokens) },
            ]}
          />
          <Notes total={total} />
          <Tabs
            label={t('Groups')}
            tabs={USAGE_GROUPS.map((group) => ({
              label: LABELS[group].label,
              href: `${usagePath(slug)}?by=${group}`,
              current: group === by,
            }))}
          />
          <UsageTable usage={usage} />
        </>
      )}
    </>,
  )
}

async function load(visit: Visit): Promise<Shown | null> {
  const workspace = await loadWorkspace(visit)
  if (workspace === null) return null
  const asked = visit.url.searchParams.get('by')
  const by = USAGE_GROUPS.find((group) => group === asked) ?? 'day'
  const usage = await visit.call(getModelUsage, { workspace: workspace.slug, by })
  return { workspace, usage }
}

export const usagePage = page({
  path: `${BASE}/models/usage`,
  load,
  view: (shown, visit) => <UsageView visit={visit} {...shown} />,
})
