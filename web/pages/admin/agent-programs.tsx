// Programs that work on issues over the Agent Client Protocol: which there are, and whether they run.
import {
  listAgentPrograms,
  PROGRAM_KINDS,
  PROGRAM_PRESETS,
  removeAgentProgram,
  setAgentProgram,
  testAgentProgram,
  type AgentProgram,
} from '#features/agent-runs/index.ts'
import { Button } from '../../components/button.tsx'
import { Card, EmptyState } from '../../components/card.tsx'
import { Field, Form, FormActions, Select, TextArea } from '../../components/form.tsx'
import { List, Row } from '../../components/rows.tsx'
import { Badge } from '../../components/state.tsx'
import { RelativeTime } from '../../components/time.tsx'
import { invalid } from '#lib/errors.ts'
import { action, redirectWithFlash, page, type Visit } from '../../site.ts'
import { fieldError, formError } from '../shell.tsx'
import { AdminFrame } from './frame.tsx'
import { rich, t } from '../../text.ts'

const PATH = '/admin/agents'
const GUIDE = '/docs/bring-your-own-agent'

const State = ({ program }: { program: AgentProgram }) =>
  program.tested_at === null ? (
    <Badge tone="wait">{t('Not tested')}</Badge>
  ) : program.fault === null ? (
    <Badge tone="good">{t('Works')}</Badge>
  ) : (
    <Badge tone="bad">{t('Failed')}</Badge>
  )

type Props = { program: AgentProgram; visit: Visit }

const ProgramButton = ({ program, visit, action }: Props & { action: 'test' | 'remove' }) => (
  <Form
    action={`${PATH}/${action}`}
    csrf={visit.csrf}
    label={
      action === 'test'
        ? t('Test {name}', { name: program.name })
        : t('Remove {name}', { name: program.name })
    }
  >
    <input type="hidden" name="name" value={program.name} />
    <Button small variant={action === 'remove' ? 'danger' : undefined}>
      {action === 'test' ? t('Test') : t('Remove')}
    </Button>
  </Form>
)

const ProgramRow = ({ program, visit }: Props) => (
  <Row
    title={
      <>
        <span class="strong">{program.name}</span> <State program={program} />
      </>
    }
    meta={
      <>
        {program.version !== null && <span>{program.version}</span>}
        {program.fault !== null && <span>{program.fault}</span>}
        <code>{program.command}</code>
        {program.tested_at !== null && (
          <span>{rich('Tested {time}', { time: <RelativeTime at={program.tested_at} /> })}</span>
        )}
      </>
    }
    end={
      <>
        <ProgramButton program={program} visit={visit} action="test" />
        <ProgramButton program={program} visit={visit} action="remove" />
      </>
    }
  />
)

const PlaceFields = ({ visit }: { visit: Visit }) => (
  <>
    <TextArea
      name="folders"
      label={t('Folders')}
      rows={2}
      mono
      hint={t('Where it is installed, unless that is below /usr. One per line.')}
      value={visit.form.values.text('folders')}
      error={fieldError(visit, 'folders')}
    />
    <TextArea
      name="env"
      label={t('Variables')}
      rows={2}
      mono
      hint={t('NAME=value, one per line. No secrets: the agent can read them.')}
      value={visit.form.values.text('env')}
      error={fieldError(visit, 'env')}
    />
  </>
)

const AddForm = ({ visit }: { visit: Visit }) => {
  const at = visit.form
  return (
    <Card title={t('Add a program')}>
      <p class="muted">
        {rich('Install it on this machine first. {guide} has the commands.', {
          guide: <a href={GUIDE}>{t('Bring your own agent')}</a>,
        })}
      </p>
      <Form
        action={PATH}
        csrf={visit.csrf}
        label={t('Add a program')}
        error={formError(visit, 'name', 'kind', 'command', 'folders', 'env')}
      >
        <Field
          name="name"
          label={t('Name')}
          required
          hint={t('People choose it by this name. An existing one is changed.')}
          value={at.values.text('name')}
          error={fieldError(visit, 'name')}
        />
        <Select
          name="kind"
          label={t('Program')}
          options={PROGRAM_KINDS.map((value) => ({
            value,
            label: value === 'other' ? t('Another program') : PROGRAM_PRESETS[value].label,
          }))}
          value={at.values.text('kind') || 'opencode'}
          error={fieldError(visit, 'kind')}
        />
        <Field
          name="command"
          label={t('Command')}
          hint={t('How it is started with the Agent Client Protocol. Empty is the usual command.')}
          value={at.values.text('command')}
          error={fieldError(visit, 'command')}
        />
        <PlaceFields visit={visit} />
        <FormActions>
          <Button variant="primary">{t('Save program')}</Button>
        </FormActions>
      </Form>
    </Card>
  )
}

/** What the setting `agents.hosts` has, which only the configuration changes. */
const Hosts = ({ hosts }: { hosts: readonly string[] }) => (
  <p>
    {hosts.length === 0
      ? rich(
          'Sandboxes reach no other hosts. The setting {setting} names those that they may reach.',
          {
            setting: <code>agents.hosts</code>,
          },
        )
      : rich('By the setting {setting} they also reach {hosts}, unless a repository narrows it.', {
          setting: <code>agents.hosts</code>,
          hosts: <code>{hosts.join(' ')}</code>,
        })}
  </p>
)

export const agentProgramsPage = page({
  path: PATH,
  load: async (visit) => {
    const { items } = await visit.call(listAgentPrograms, {})
    // Others see names only, which is not what this page is for.
    return visit.viewer?.site_admin === true ? items : null
  },
  view: (programs: readonly AgentProgram[], visit) => (
    <AdminFrame
      visit={visit}
      title={t('Agent programs')}
      lead={t(
        'Programs that people can assign issues to. Each runs in a sandbox without a network, which reaches the models of the workspace only.',
      )}
    >
      <Hosts hosts={visit.hearth.settings.agents.hosts} />
      {programs.length === 0 ? (
        <EmptyState icon="agent" title={t('No agent programs')}>
          {rich('Without one, issues go to the built-in agent. {guide} shows how to add one.', {
            guide: <a href={GUIDE}>{t('Bring your own agent')}</a>,
          })}
        </EmptyState>
      ) : (
        <List label={t('Agent programs')}>
          {programs.map((program) => (
            <ProgramRow program={program} visit={visit} />
          ))}
        </List>
      )}
      <AddForm visit={visit} />
    </AdminFrame>
  ),
})

const lines = (text: string): string[] =>
  text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '')

/** Throws 422 for a line without a name. */
function variables(text: string): Record<string, string> {
  return Object.fromEntries(
    lines(text).map((line) => {
      const at = line.indexOf('=')
      if (at < 1) throw invalid('env', t('{line} is not NAME=value', { line }))
      return [line.slice(0, at).trim(), line.slice(at + 1).trim()]
    }),
  )
}

export const agentProgramForms = [
  action({
    path: PATH,
    page: agentProgramsPage,
    submit: async (visit, fields) => {
      const kind = PROGRAM_KINDS.find((one) => one === fields.text('kind'))
      await visit.call(setAgentProgram, {
        name: fields.text('name').trim(),
        kind,
        command: fields.optional('command'),
        folders: lines(fields.text('folders')),
        env: variables(fields.text('env')),
      })
      return redirectWithFlash(visit, PATH, 'saved')
    },
  }),
  action({
    path: `${PATH}/test`,
    page: agentProgramsPage,
    submit: async (visit, fields) => {
      const { fault } = await visit.call(testAgentProgram, { name: fields.text('name') })
      return redirectWithFlash(
        visit,
        PATH,
        fault === null ? 'agent-program-works' : 'agent-program-failed',
      )
    },
  }),
  action({
    path: `${PATH}/remove`,
    page: agentProgramsPage,
    submit: async (visit, fields) => {
      await visit.call(removeAgentProgram, { name: fields.text('name') })
      return redirectWithFlash(visit, PATH, 'agent-program-removed')
    },
  }),
]
