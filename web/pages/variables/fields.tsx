// The fields of a variable or secret.
import type { Secret, Variable } from '#features/variables/index.ts'
import {
  Button,
  Checkbox,
  Field,
  FieldSet,
  Form,
  FormActions,
  TextArea,
} from '../../components/index.ts'
import type { Fields, Visit } from '../../site.ts'
import { fieldError, formError } from '../shell.tsx'
import { herePath, type OwnerKind, type VariablesOwner } from './owner.tsx'
import { rich, t } from '../../text.ts'

export type Kind = 'variable' | 'secret'
export type SettingRow = Variable | Secret

/** The id of the row that a refused form was for; empty for a new one, null for another form. */
export function refusedRow(visit: Visit, kind: Kind): string | null {
  const { values, error } = visit.form
  return error !== null && values.text('kind') === kind ? values.text('id') : null
}

const FIELDS = ['setting', 'value', 'environments', 'projects', 'note'] as const

type FormProps = { visit: Visit; owner: VariablesOwner; kind: Kind; row: SettingRow | null }

/** The form of a new row, or of an existing one. The value of a secret is never sent back. */
export const SettingForm = ({ visit, owner, kind, row }: FormProps) => {
  const typed = refusedRow(visit, kind) === (row?.id ?? '')
  const { values } = visit.form
  const shown = (name: string, stored: string) => (typed ? values.text(name) : stored)
  const error = (name: string) => (typed ? fieldError(visit, name) : null)
  const id = (name: string) => `${row?.id ?? `new-${kind}`}-${name}`
  return (
    <Form
      action={herePath(owner.kind, visit, kind === 'secret' ? '/secret' : '')}
      csrf={visit.csrf}
      error={typed ? formError(visit, ...FIELDS) : null}
    >
      <input type="hidden" name="kind" value={kind} />
      {row && <input type="hidden" name="id" value={row.id} />}
      {row ? (
        <input type="hidden" name="setting" value={row.name} />
      ) : (
        <Field
          id={id('setting')}
          name="setting"
          label={t('Name')}
          required
          mono
          maxlength={128}
          autocomplete="off"
          placeholder={kind === 'secret' ? t('DEPLOY_KEY') : t('REGION')}
          value={shown('setting', '')}
          error={error('setting')}
          hint={rich('Letters, digits and underscores. Workflow files read it as {code}.', {
            code: (
              <code>{`\${{ ${kind === 'secret' ? 'secrets.DEPLOY_KEY' : 'vars.REGION'} }}`}</code>
            ),
          })}
        />
      )}
      <TextArea
        id={id('value')}
        name="value"
        label={row && kind === 'secret' ? t('New value') : t('Value')}
        required={kind === 'secret' && row === null}
        mono
        rows={2}
        value={kind === 'secret' ? '' : shown('value', row?.value ?? '')}
        error={error('value')}
        hint={row && kind === 'secret' ? t('Left empty, the secret keeps its value.') : undefined}
      />
      <ScopeFields {...{ owner, row, shown, error, id, typed, values }} />
      <FormActions>
        <Button variant={row ? undefined : 'primary'} icon={row ? undefined : 'plus'}>
          {row ? t('Save') : kind === 'secret' ? t('Add secret') : t('Add variable')}
        </Button>
      </FormActions>
    </Form>
  )
}

const OtherProjects = ({ id, value }: { id: string; value: string }) => (
  <Field
    id={id}
    name="other_projects"
    label={t('Other projects')}
    value={value}
    placeholder={t('website, billing')}
    hint={t('Their slugs, separated by commas.')}
  />
)

type ScopeProps = {
  owner: VariablesOwner
  row: SettingRow | null
  shown: (name: string, stored: string) => string
  error: (name: string) => string | null
  id: (name: string) => string
  typed: boolean
  values: Fields
}

/** Which environments and projects a row is for, and the note. */
const ScopeFields = ({ owner, row, shown, error, id, typed, values }: ScopeProps) => {
  const chosen = typed ? values.all('projects') : (row?.projects ?? [])
  const projects = new Set([...owner.projects, ...chosen])
  return (
    <>
      <Field
        id={id('environments')}
        name="environments"
        label={t('Environments')}
        value={shown('environments', row?.environments.join(', ') ?? '')}
        error={error('environments')}
        placeholder={t('production, staging')}
        hint={t('Only jobs of these environments read it. Left empty, all jobs do.')}
      />
      {projects.size > 0 && (
        <FieldSet
          legend={t('Projects')}
          hint={t('None stands for every repository.')}
          error={error('projects')}
        >
          {[...projects].map((slug) => (
            <Checkbox
              id={id(`project-${slug}`)}
              name="projects"
              value={slug}
              label={slug}
              checked={chosen.includes(slug)}
            />
          ))}
        </FieldSet>
      )}
      {owner.hasMoreProjects && (
        <OtherProjects id={id('other-projects')} value={shown('other_projects', '')} />
      )}
      <Field
        id={id('note')}
        name="note"
        label={t('Note')}
        maxlength={280}
        value={shown('note', row?.note ?? '')}
        error={error('note')}
      />
    </>
  )
}

/** The input of the operations that set a row. */
export const settingInput = (fields: Fields, kind: Kind, owner: OwnerKind) => {
  const id = fields.optional('id')
  const value = fields.text('value').replaceAll('\r\n', '\n')
  return {
    setting: fields.text('setting').trim(),
    // An empty value of an existing secret leaves it as it is.
    value: kind === 'secret' && id !== undefined && value === '' ? undefined : value,
    id,
    environments: fields.list('environments', /[,\r\n]/),
    projects:
      owner === 'workspace'
        ? [...new Set([...fields.all('projects'), ...fields.list('other_projects', /[,\r\n]/)])]
        : undefined,
    note: fields.optional('note') ?? null,
  }
}
