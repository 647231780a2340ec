import { LANGUAGES } from '../language.ts';
import { fileFacts, filePath, isBase64, textOfBase64 } from './answers.ts';
import { notFound, type Operation, withBody, withoutBody } from './operation.ts';

/** Operations of uploaded files. The path of the statistics comes before that of one file, which would match it too. */
export const FILE_OPERATIONS: readonly Operation[] = [
  withBody(
    {
      method: 'post',
      path: '/files/upload',
      operationId: 'upload_file_files_upload_post',
      summary: 'Upload File',
      description: 'Upload a file for execution.',
      request: 'FileUploadRequest',
      response: 'FileUploadResponse',
    },
    async ({ workspace: { uploads }, body: { filename, content, language, encoding, binary } }) => {
      const text = isBase64({ encoding, isBinary: binary }) ? textOfBase64(content) : content;
      if (text === null) return failedUpload('content is not the base64 of a text in UTF-8.');
      const file = uploads.add({ name: filename, content: text, language, encoding, isBinary: binary });
      if (!file) return failedUpload('There are too many files, or they are too large. Delete some.');
      return { body: { success: true, file_id: file.id, file_path: filePath(file), error_message: null } };
    },
  ),
  withoutBody(
    {
      method: 'get',
      path: '/files',
      operationId: 'list_files_files_get',
      summary: 'List Files',
      description: 'List all uploaded files.',
      response: 'FileListResponse',
    },
    async ({ workspace: { uploads } }) => {
      const files = uploads.all.map(fileFacts);
      return { body: { files, total_count: files.length } };
    },
  ),
  withoutBody(
    {
      method: 'get',
      path: '/files/stats',
      operationId: 'get_file_stats_files_stats_get',
      summary: 'Get File Stats',
      description: 'Get file manager statistics.',
      response: null,
    },
    async ({ workspace: { uploads } }) => {
      const counts = LANGUAGES.map((name) => [name, uploads.all.filter(({ language }) => language === name).length]);
      return {
        body: {
          total_files: uploads.all.length,
          files_by_language: Object.fromEntries(counts),
          total_size: uploads.bytes,
          upload_dir: 'uploads',
        },
      };
    },
  ),
  withoutBody(
    {
      method: 'get',
      path: '/files/{file_id}',
      operationId: 'get_file_info_files__file_id__get',
      summary: 'Get File Info',
      description: 'Get file information.',
      response: null,
    },
    async ({ workspace: { uploads }, id }) => {
      const file = uploads.get(id);
      if (!file) return notFound('File');
      const sent = isBase64(file) ? Buffer.from(file.content).toString('base64') : file.content;
      return { body: { ...fileFacts(file), file_path: filePath(file), content: sent } };
    },
  ),
  withoutBody(
    {
      method: 'delete',
      path: '/files/{file_id}',
      operationId: 'delete_file_files__file_id__delete',
      summary: 'Delete File',
      description: 'Delete an uploaded file.',
      response: null,
    },
    async ({ workspace: { uploads }, id }) =>
      uploads.delete(id) ? { body: { success: true, message: 'File deleted successfully' } } : notFound('File'),
  ),
];

function failedUpload(error_message: string) {
  return { body: { success: false, file_id: null, file_path: null, error_message } };
}
