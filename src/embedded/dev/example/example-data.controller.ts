import { Body, Controller, HttpCode, Post, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { BrowserBinding } from '../../../auth/session/browser-binding.js';
import { Browser } from '../../../common/http/access-marks.js';
import { redirectTo } from '../../../common/http/redirect-to.js';
import { EXAMPLE_DATA_FORM } from '../../../config/example-data.js';
import { ExampleDataPresent } from './example-data.errors.js';
import { ExampleData } from './example-data.service.js';

/** "Add example data": the button of the start page and of the console's overview. */
@ApiExcludeController()
@Controller(EXAMPLE_DATA_FORM.action)
export class ExampleDataController {
  constructor(
    private readonly example: ExampleData,
    private readonly browser: BrowserBinding,
  ) {}

  @Post()
  @Browser()
  @HttpCode(303)
  async fill(@Body() body: Record<string, unknown>, @Req() request: Request, @Res() response: Response): Promise<void> {
    this.browser.checkForm(request, EXAMPLE_DATA_FORM.purpose);
    try {
      await this.example.fill();
    } catch (error) {
      // The button was pressed twice: the data already exists.
      if (!(error instanceof ExampleDataPresent)) throw error;
    }
    redirectTo(response, body['from'] === 'console' ? '/console/' : '/dev');
  }
}
