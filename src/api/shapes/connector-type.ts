import { z } from 'zod'

const term = z.string().describe('A singular lower-case noun')

const signInModeShape = z.object({
  id: z.string(),
  title: z.string(),
  description: z.string(),
  fields: z
    .array(z.object({ name: z.string(), title: z.string().optional(), description: z.string().optional() }))
    .describe('The fields that this mode needs, all of them'),
  fixed: z
    .record(z.string(), z.unknown())
    .optional()
    .describe('Values that other fields have to have in this mode'),
  usual_for: z
    .record(z.string(), z.unknown())
    .optional()
    .describe('Values of other fields for which a form selects this mode'),
})

const setupShape = z.object({
  title: z.string(),
  text: z.string(),
  when: z.record(z.string(), z.unknown()).describe('The step applies only if the fields have these values'),
  links: z.array(z.object({ title: z.string(), address: z.string() })),
  snippets: z.array(z.object({ title: z.string(), text: z.string() })),
})

/** What a connector type declares; the page and other clients know nothing else about it. */
export const connectorTypeShape = z.object({
  type: z.string(),
  kind: z.enum(['source', 'destination']),
  title: z.string(),
  about: z.string().describe('One sentence on what it connects to'),
  systems: z.array(z.string()).describe('The products that it connects to'),
  icon: z.string().describe('A name of the icon set of the page'),
  docs: z.string().describe('A path in the repository, or an https address'),
  terms: z.object({ system: term, scope: term, document: term }),
  aliases: z.array(z.string()).describe('Other names that are accepted for the type'),
  field_aliases: z
    .record(z.string(), z.string())
    .describe('Other names that are accepted for fields, each with the name in the schema'),
  location_fields: z.array(z.string()).describe('Fields that show what a connector connects to, in order'),
  sign_in_modes: z.array(signInModeShape).describe('Empty if there is only one mode'),
  setup: z
    .array(setupShape)
    .describe(
      'How to get credentials with the least privileges. `{{name}}` in addresses and snippets is the value of a field',
    ),
  document_addresses: z
    .array(z.object({ pattern: z.string(), record_ids: z.array(z.string()) }))
    .describe(
      'Regular expressions for host, path and query of the address of a document, with the record ids that the document may have',
    ),
  capabilities: z.array(z.string()).describe('What it can do beyond the required minimum'),
  sample: z
    .boolean()
    .describe('Whether its documents come with Millrace; forms offer it only to try Millrace'),
  schema: z
    .record(z.string(), z.unknown())
    .describe(
      'JSON Schema of the settings. `widget: scopes` marks a list whose choices POST /sources/options offers; ' +
        '`implies` fills in other fields by the first pattern that the value matches; `shortens` cuts a pasted value; ' +
        '`choices` names true and false; `limits` marks a limit of scopes or documents',
    ),
})
