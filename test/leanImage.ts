/** The image with a real Lean; throws where none was named, which `npm run lean` and `npm test` see to. */
export function leanImage(): string {
  const image = process.env.HOTHOUSE_TEST_LEAN_IMAGE;
  if (!image) throw new Error('HOTHOUSE_TEST_LEAN_IMAGE names no image: use `npm run lean`.');
  return image;
}
