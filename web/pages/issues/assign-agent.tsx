// Gives an issue to the built-in agent.
import { listAgentPrograms } from '#features/agent-runs/index.ts'
import { getModelRoutes } from '#features/models/index.ts'
import { assignIssue } from '#features/pulls/index.ts'
import type { Issue } from '#features/issues/index.ts'
import type { Repo } from '#features/repos/index.ts'
import { getWorkspace } from '#features/workspaces/index.ts'
import {
  Button,
  Field,
  Form,
  FormActions,
  Select,
  SideBlock,
  TextArea,
} from '../../components/index.ts'
import { issuePath, pullPath } from '../../paths.ts'
import { action, redirectWithFlash, type Page, type Visit } from '../../site.ts'
import { modelsPath } from '../integrations/owner.tsx'
import { numberOf, repoOf } from '../repos/frame.tsx'
import { fieldError, formError, visitForForm } from '../shell.tsx'
import { t } from '../../text.ts'

/** Whether the agent has a model, and whether the visitor can set one. */
export type AgentReadiness = {
  readonly hasModel: boolean
  readonly isOwner: boolean
  /** The names of programs that can work in place of the built-in agent. */
  readonly programs: readonly string[]
}

/** Null for visitors who cannot assign issues. */
export async function loadAgentReadiness(visit: Visit, repo: Repo): Promise<AgentReadiness | null> {
  if (visit.viewer === null || !repo.permissions.write || repo.archived) return null
  const workspace = repo.full_name.split('/')[0] ?? ''
  const found = await visit.tryCall(getModelRoutes, { workspace })
  const { items } = await visit.call(listAgentPrograms, {})
  const programs = items.filter(({ fault }) => fault === null).map(({ name }) => name)
  // Only members see the routes. For others the form says what is missing.
  if (found === null) return { hasModel: true, isOwner: false, programs }
  const hasModel = found.routes.some(({ task }) => task === 'code' || task === 'default')
  if (hasModel) return { hasModel, isOwner: false, programs }
  const { role } = await visit.call(getWorkspace, { workspace })
  return { hasModel, isOwner: role === 'owner', programs }
}

export const NoModel = ({ workspace, isOwner }: { workspace: string; isOwner: boolean }) =>
  isOwner ? (
    <p>
      {t('The built-in agent needs a model.')}{' '}
      <a href={modelsPath(workspace)}>{t('Choose a model')}</a>
    </p>
  ) : (
    <p class="muted">
      {t('The built-in agent needs a model. Ask an owner of {workspace} to choose one.', {
        workspace,
      })}
    </p>
  )

/** Nothing where the built-in agent is the only one. */
const ProgramChoice = ({ visit, programs }: { visit: Visit; programs: readonly string[] }) =>
  programs.length === 0 ? null : (
    <Select
      name="program"
      label={t('Agent program')}
      options={[
        { value: '', label: t('Built-in agent') },
        ...programs.map((name) => ({ value: name, label: name })),
      ]}
      value={visit.form.values.text('program')}
      error={fieldError(visit, 'program')}
    />
  )

export const AgentSide = ({
  visit,
  repo,
  issue,
  readiness,
}: {
  visit: Visit
  repo: Repo
  issue: Issue
  readiness: AgentReadiness
}) => {
  const here = issuePath(repo.full_name, issue.number)
  const at = visitForForm(visit, `${here}/assign`)
  if (!readiness.hasModel)
    return (
      <SideBlock title={t('Agent')}>
        <NoModel workspace={repo.full_name.split('/')[0] ?? ''} isOwner={readiness.isOwner} />
      </SideBlock>
    )
  return (
    <SideBlock title={t('Agent')}>
      <details class="more" open={at.form.error !== null}>
        <summary>{t('Assign to agent')}</summary>
        <Form
          action={`${here}/assign`}
          csrf={visit.csrf}
          label={t('Assign to agent')}
          error={formError(at, 'instructions', 'max_usd', 'program')}
        >
          <ProgramChoice visit={at} programs={readiness.programs} />
          <TextArea
            name="instructions"
            label={t('Instructions')}
            rows={3}
            maxlength={4000}
            hint={t('What it should know beyond the issue.')}
            value={at.form.values.text('instructions')}
            error={fieldError(at, 'instructions')}
          />
          <Field
            name="max_usd"
            label={t('Maximum cost, in US dollars')}
            inputmode="decimal"
            value={at.form.values.text('max_usd')}
            error={fieldError(at, 'max_usd')}
          />
          <FormActions>
            <Button small variant="primary" icon="agent">
              {t('Assign to agent')}
            </Button>
          </FormActions>
        </Form>
      </details>
    </SideBlock>
  )
}

/** `on` is the page that shows the form. */
export const assignFormOn = (on: Page) =>
  action({
    path: '/:workspace/:repo/issues/:number/assign',
    page: on,
    submit: async (visit, fields) => {
      const { pull } = await visit.call(assignIssue, {
        repo: repoOf(visit),
        number: numberOf(visit) ?? 0,
        agent: fields.optional('agent'),
        program: fields.optional('program'),
        instructions: fields.optional('instructions'),
        max_usd: fields.number('max_usd'),
      })
      return redirectWithFlash(
        visit,
        pullPath(pull.repo, pull.number, 'session'),
        'assigned-to-agent',
      )
    },
  })
