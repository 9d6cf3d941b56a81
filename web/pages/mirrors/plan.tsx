// The plan of a hand back as a table, with a choice for each conflict.
import type { HandBackPlan } from '#features/mirrors/index.ts'
import {
  ActionButton,
  Button,
  Card,
  Form,
  FormActions,
  Notice,
  Select,
} from '../../components/index.ts'
import { formatNumber } from '../../format.ts'
import type { Visit } from '../../site.ts'
import { rich, t, tn } from '../../text.ts'
import { pageOfRows, RowSteps } from '../row-form.tsx'
import { formError } from '../shell.tsx'
import { ACTIONS } from './states.tsx'

/** The page of the refs of a plan, in the address. */
const PLAN_PAGE = 'plan'
const REFS_PER_PAGE = 100
/** More conflicts have one choice together. */
const MAX_CHOICES = 50
/** The field of that choice. */
export const OTHERS_FIELD = 'others'
const SHORT = 7

type PlannedRef = HandBackPlan['refs'][number]

const short = (sha: string | null) => (sha === null ? '–' : <code>{sha.slice(0, SHORT)}</code>)

/** The name without its folder; tags keep theirs. */
const shortRef = (ref: string): string => ref.replace(/^refs\/heads\//, '').replace(/^refs\//, '')

const SideSelect = (props: { id: string; name: string; label: string }) => (
  <Select
    {...props}
    required
    value=""
    options={[
      { value: '', label: t('Choose a side') },
      { value: 'ours', label: t('This service') },
      { value: 'theirs', label: t('The remote') },
    ]}
  />
)

const Conflict = ({ ref, at }: { ref: string; at: number }) => (
  <>
    <input type="hidden" name="ref" value={ref} />
    <SideSelect
      id={`choice-${at}`}
      name="choice"
      label={t('Keep for {ref}', { ref: shortRef(ref) })}
    />
  </>
)

const PlanTable = ({ refs }: { refs: readonly PlannedRef[] }) => (
  <div class="table-scroll">
    <table class="plain-table" aria-label={t('Plan')}>
      <thead>
        <tr>
          {[t('Ref'), t('At takeover'), t('Here'), t('Remote'), t('Commits'), t('Action')].map(
            (name) => (
              <th scope="col">{name}</th>
            ),
          )}
        </tr>
      </thead>
      <tbody>
        {refs.map((row) => (
          <tr>
            <th scope="row">
              <code>{shortRef(row.ref)}</code>
            </th>
            <td>{short(row.takeover_sha)}</td>
            <td>{short(row.service_sha)}</td>
            <td>{short(row.remote_sha)}</td>
            <td class="nums">
              {row.commits_ahead + row.commits_behind === 0
                ? '–'
                : `+${formatNumber(row.commits_ahead)} −${formatNumber(row.commits_behind)}`}
            </td>
            <td>{ACTIONS[row.action]}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)

const HandBackForm = ({
  visit,
  conflicts,
  action,
}: {
  visit: Visit
  conflicts: HandBackPlan['refs']
  action: string
}) => (
  <Form
    action={action}
    csrf={visit.csrf}
    label={t('Hand back')}
    error={formError(visit, 'url', 'name', 'secret', 'username', 'branch')}
  >
    {conflicts.slice(0, MAX_CHOICES).map(({ ref }, index) => (
      <Conflict ref={ref} at={index} />
    ))}
    {conflicts.length > MAX_CHOICES && (
      <SideSelect
        id="choice-others"
        name={OTHERS_FIELD}
        label={tn(
          'Keep for {count} other conflict',
          'Keep for {count} other conflicts',
          conflicts.length - MAX_CHOICES,
        )}
      />
    )}
    <FormActions>
      <Button variant="primary">{t('Hand back')}</Button>
    </FormActions>
  </Form>
)

export const conflictsOf = ({ refs }: HandBackPlan): HandBackPlan['refs'] =>
  refs.filter(({ action }) => action === 'conflict')

export const PlanCard = ({
  visit,
  plan,
  canManage,
  at,
}: {
  visit: Visit
  plan: HandBackPlan
  canManage: boolean
  at: (rest: string) => string
}) => {
  const conflicts = conflictsOf(plan)
  const list = pageOfRows(visit, plan.refs, REFS_PER_PAGE, PLAN_PAGE)
  const left = plan.refs_count - plan.refs.length
  return (
    <Card
      title={t('Hand back')}
      id="plan"
      actions={
        canManage && (
          <ActionButton action={at('/plan')} csrf={visit.csrf}>
            <Button small icon="refresh">
              {t('Fetch and plan again')}
            </Button>
          </ActionButton>
        )
      }
    >
      <p class="muted">
        {t(
          'What happens to each branch and tag when the remote gets the lead back, as of the last fetch. What a side loses is kept here for 90 days.',
        )}
      </p>
      {list.items.length > 0 && <PlanTable refs={list.items} />}
      <RowSteps list={list} here={at('')} name={PLAN_PAGE} label={t('Plan')} />
      {left > 0 && <p class="muted">{tn('and {count} more ref', 'and {count} more refs', left)}</p>}
      {plan.pulls_merged.length > 0 && (
        <p>
          {rich('Merged here since the takeover: {numbers}', {
            numbers: plan.pulls_merged.map((number) => `#${number}`).join(', '),
          })}
        </p>
      )}
      {plan.deploys_held > 0 && (
        <p>{tn('{count} deployment waits.', '{count} deployments wait.', plan.deploys_held)}</p>
      )}
      {conflicts.length > 0 && (
        <Notice kind="wait" title={t('Both sides moved the same refs')}>
          <p>{t('Choose which side stays for each of them.')}</p>
        </Notice>
      )}
      {canManage && <HandBackForm visit={visit} conflicts={conflicts} action={at('/hand-back')} />}
    </Card>
  )
}
