/**
 * Agent programs that are known: the command, and the settings with which each works without a
 * network and with the models of this forge. Names and versions of what was tried are in the guide
 * page `bring-your-own-agent`.
 */
import { DOOR_URL } from '#runner'

export const PROGRAM_KINDS = ['opencode', 'codex', 'claude', 'gemini', 'qwen', 'other'] as const
export type ProgramKind = (typeof PROGRAM_KINDS)[number]

/** Programs demand a key. The door knows who calls, and takes no notice of it. */
const NO_KEY = 'none'

/** What a program of a kind gets. Paths of files are below its home. */
export type Preset = {
  readonly label: string
  readonly command: string
  readonly env: (model: string) => Readonly<Record<string, string>>
  readonly files: (model: string) => Readonly<Record<string, string>>
  /** The mode of a session in which its own sandbox, which cannot be made in a box, is off. */
  readonly mode?: string
}

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`

const openAi = (model: string) => ({
  OPENAI_BASE_URL: `${DOOR_URL}/v1`,
  OPENAI_API_KEY: NO_KEY,
  OPENAI_MODEL: model,
})
const anthropic = (model: string) => ({
  ANTHROPIC_BASE_URL: DOOR_URL,
  ANTHROPIC_AUTH_TOKEN: NO_KEY,
  ANTHROPIC_MODEL: model,
})

const opencodeConfig = (model: string) => ({
  autoupdate: false,
  share: 'disabled',
  model: `hearth/${model}`,
  small_model: `hearth/${model}`,
  enabled_providers: ['hearth'],
  permission: { edit: 'ask', bash: 'ask', webfetch: 'deny' },
  provider: {
    hearth: {
      npm: '@ai-sdk/openai-compatible',
      name: 'Hearth',
      options: { baseURL: `${DOOR_URL}/v1`, apiKey: NO_KEY },
      models: { [model]: { name: model } },
    },
  },
})

const codexConfig = (model: string): string =>
  [
    `model = "${model}"`,
    'model_provider = "hearth"',
    '[model_providers.hearth]',
    'name = "Hearth"',
    `base_url = "${DOOR_URL}/v1"`,
    'wire_api = "responses"',
    'env_key = "OPENAI_API_KEY"',
    '',
  ].join('\n')

/** Qwen Code is made from Gemini CLI, and keeps its settings in the same form. */
const geminiSettings = (selectedType: string) => ({
  security: { auth: { selectedType } },
  general: { disableAutoUpdate: true, disableUpdateNag: true, enableAutoUpdate: false },
  privacy: { usageStatisticsEnabled: false },
  telemetry: { enabled: false },
})

export const PRESETS: Readonly<Record<ProgramKind, Preset>> = {
  opencode: {
    label: 'opencode',
    command: 'opencode acp',
    env: () => ({
      OPENCODE_DISABLE_MODELS_FETCH: '1',
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
    }),
    files: (model) => ({ '.config/opencode/opencode.json': json(opencodeConfig(model)) }),
  },
  codex: {
    label: 'Codex',
    command: 'codex-acp',
    env: () => ({ OPENAI_API_KEY: NO_KEY, CODEX_API_KEY: NO_KEY }),
    files: (model) => ({ '.codex/config.toml': codexConfig(model) }),
    mode: 'agent-full-access',
  },
  claude: {
    label: 'Claude Code',
    command: 'claude-agent-acp',
    env: (model) => ({
      ...anthropic(model),
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
    }),
    files: () => ({}),
  },
  gemini: {
    label: 'Gemini CLI',
    command: 'gemini --acp',
    env: (model) => ({
      GOOGLE_GEMINI_BASE_URL: DOOR_URL,
      GEMINI_API_KEY: NO_KEY,
      GEMINI_MODEL: model,
      GEMINI_CLI_NO_RELAUNCH: 'true',
    }),
    files: () => ({ '.gemini/settings.json': json(geminiSettings('gemini-api-key')) }),
  },
  qwen: {
    label: 'Qwen Code',
    command: 'qwen --acp',
    env: openAi,
    files: () => ({ '.qwen/settings.json': json(geminiSettings('openai')) }),
  },
  other: {
    label: 'Another program',
    command: '',
    env: (model) => ({ ...openAi(model), ...anthropic(model), HEARTH_MODEL: model }),
    files: () => ({}),
  },
}
