import { describe, expect, it } from 'vitest';
import { LABEL } from '../../src/host/labels.ts';
import { imageMissing, imageUnusable } from '../../src/host/problem.ts';

const use = (image: string) => ({ image, labels: { [LABEL.environment]: 'python' } });

describe('the problem of an image', () => {
  it('says which image is missing, and which command builds it or which option names another', () => {
    expect(imageMissing(use('hothouse/mine'))).toEqual({
      kind: 'image_missing',
      message: 'There is no image hothouse/mine.',
      advice: 'Build it with the command `hothouse build python`, or name another image in the option python.image.',
      command: 'hothouse build python',
    });
    expect(imageMissing(use('my/python'))).toEqual({
      kind: 'image_missing',
      message: 'There is no image my/python.',
      advice:
        'Pull or build it, or leave the option python.image at its default, which `hothouse build python` builds.',
    });
  });

  it('names the option with an image of ours that cannot be used', () => {
    expect(imageUnusable(use('hothouse/mine'), 'It has volumes.', 'no VOLUME')).toEqual({
      kind: 'image_unusable',
      message: 'It has volumes.',
      advice: 'Name an image with no VOLUME in the option python.image, or build ours with `hothouse build python`.',
      command: 'hothouse build python',
    });
  });

  it('names no option and no command for a container of no language', () => {
    expect(imageMissing({ image: 'hothouse/mine', labels: {} })).toEqual({
      kind: 'image_missing',
      message: 'There is no image hothouse/mine.',
      advice: 'Pull or build it.',
    });
  });
});
