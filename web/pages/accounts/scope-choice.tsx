import { SCOPES } from '#core/scopes.ts'
import { Checkbox, FieldSet } from '../../components/form.tsx'
import { Notice } from '../../components/flash.tsx'
import type { Fields, Visit } from '../../site.ts'
import { fieldError } from '../shell.tsx'
import { t, texts } from '../../text.ts'

/** What a scope allows, in a few words. */
const MEANINGS: Readonly<Record<string, string>> = texts({
  'repo:read': 'see repositories and their settings',
  'repo:write': 'edit releases',
  'repo:admin': 'create, change and delete repositories',
  'code:read': 'read and clone code',
  'code:write': 'push, branch and tag',
  'issues:read': 'read issues',
  'issues:write': 'write issues and comments',
  'pulls:read': 'read pull requests',
  'pulls:write': 'open, review and close them',
  'pulls:merge': 'merge them',
  'workflows:read': 'read runs and logs',
  'workflows:write': 'start, stop and approve runs',
  'packages:read': 'download packages',
  'packages:write': 'publish packages',
  'packages:admin': 'delete packages',
  'secrets:read': 'see names of secrets',
  'secrets:admin': 'set secrets and variables',
  'security:read': 'read findings',
  'security:write': 'resolve findings',
  'memory:read': 'recall what was noted',
  'memory:write': 'note and forget',
  'models:use': 'call the models of workspaces',
  'workspace:read': 'see workspaces and teams',
  'workspace:admin': 'change workspaces and teams',
  'access:read': 'see who has access',
  'access:admin': 'change who has access',
  'user:read': 'read your addresses and tokens',
  'user:write': 'change your account',
  'site:admin': 'administer this site',
})

const FIELD = 'scopes'
/** Marks that the checkboxes were shown, which tells none ticked from none offered. */
const SHOWN = 'scopes_shown'

export const Ticks = ({
  scopes,
  ticked,
}: {
  scopes: readonly string[]
  ticked: readonly string[]
}) => (
  <div class="tick-grid">
    {scopes.map((scope) => (
      <Checkbox
        name={FIELD}
        value={scope}
        label={<code>{scope}</code>}
        hint={MEANINGS[scope]}
        checked={ticked.includes(scope)}
      />
    ))}
  </div>
)

/**
 * The scopes that an application requests, which the user may reduce. `asked` null is full rights.
 */
export function ScopeChoice({ visit, asked }: { visit: Visit; asked: readonly string[] | null }) {
  const { values } = visit.form
  if (asked === null) {
    return (
      <>
        <Notice kind="wait" title={t('It asks for the full rights of your account')}>
          {t('It could do everything that you can do yourself.')}
        </Notice>
        <details class="more" open={values.all(FIELD).length > 0}>
          <summary>{t('Limit permissions')}</summary>
          <FieldSet
            legend={t('Scopes')}
            hint={t('None ticked means full rights.')}
            error={fieldError(visit, FIELD)}
          >
            <Ticks scopes={SCOPES} ticked={values.all(FIELD)} />
          </FieldSet>
        </details>
      </>
    )
  }
  return (
    <FieldSet
      legend={t('Requested permissions')}
      hint={t('Clear what it does not need.')}
      error={fieldError(visit, FIELD)}
    >
      <input type="hidden" name={SHOWN} value="1" />
      <Ticks scopes={asked} ticked={values.has(SHOWN) ? values.all(FIELD) : asked} />
    </FieldSet>
  )
}

/** The ticked scopes as an operation's input. Left out when nothing was reduced. */
export function chosenScopes(fields: Fields): { scopes?: string[] } {
  const ticked = fields.all(FIELD).filter((scope) => scope !== '')
  return ticked.length > 0 || fields.has(SHOWN) ? { scopes: ticked } : {}
}
