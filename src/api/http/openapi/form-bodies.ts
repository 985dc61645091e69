type RequestBody = { required: boolean; content: Record<string, { schema: object }> }

const file = { type: 'string', contentMediaType: 'application/octet-stream' }
const files = { type: 'array', items: file, maxItems: 10 }

const jobRequest = {
  type: 'object',
  description: 'A JSON object: a template or nodes',
  properties: {
    template_id: { type: ['string', 'null'] },
    job_nodes: { type: ['array', 'null'], items: { type: 'object' } },
  },
  additionalProperties: false,
}

/** Forms are read as streams, so that routes have no schema for them. */
export const FORM_BODIES: Record<string, RequestBody> = {
  createJob: form({ input_files: files, request_data: jobRequest }, ['request_data']),
  runWorkflow: { ...form({ input_files: files }, []), required: false },
  partitionFiles: form(
    {
      files,
      strategy: { enum: ['auto', 'fast', 'hi_res', 'ocr_only', 'od_only', 'vlm'] },
      output_format: { enum: ['application/json', 'text/csv'] },
      chunking_strategy: { enum: ['basic', 'by_title', 'by_page', 'by_similarity'] },
      languages: { type: 'array', items: { type: 'string' } },
      max_characters: { type: 'integer', minimum: 1 },
      new_after_n_chars: { type: 'integer', minimum: 0 },
      overlap: { type: 'integer', minimum: 0 },
      overlap_all: { type: 'boolean' },
      combine_under_n_chars: { type: 'integer', minimum: 0 },
      multipage_sections: { type: 'boolean' },
      similarity_threshold: { type: 'number', minimum: 0, maximum: 1 },
      include_orig_elements: { type: 'boolean' },
      unique_element_ids: { type: 'boolean' },
      starting_page_number: { type: 'integer', minimum: 1 },
    },
    ['files'],
  ),
}

/** Responses that routes send as they are, without a schema. */
export const FREE_RESPONSES: Record<string, object> = {
  getJobDownload: response('Elements', { 'application/json': { type: 'array', items: { type: 'object' } } }),
  partitionFiles: response('Elements', {
    'application/json': { type: 'array', items: {} },
    'text/csv': { type: 'string' },
  }),
}

/** Formats of a response other than JSON. */
export const OTHER_FORMATS: Record<string, string[]> = { getAudit: ['text/csv', 'application/x-ndjson'] }

function form(properties: object, required: string[]): RequestBody {
  return {
    required: true,
    content: { 'multipart/form-data': { schema: { type: 'object', properties, required } } },
  }
}

function response(description: string, schemas: Record<string, object>): object {
  const content = Object.fromEntries(Object.entries(schemas).map(([type, schema]) => [type, { schema }]))
  return { 200: { description, content } }
}
