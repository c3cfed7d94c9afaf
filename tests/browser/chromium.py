# SPDX-License-Identifier: Apache-2.0
"""A real Chromium without a window, driven over its debugging pipe: pages of files alone, true clicks and
keys, any size of screen, light and dark. Needs nothing but Python."""
import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

# Files only: every name of a host resolves to nothing, whatever the browser wants on its own.
ARGUMENTS = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--no-first-run',
             '--disable-extensions', '--disable-sync', '--disable-background-networking', '--disable-component-update',
             '--disable-breakpad', '--host-resolver-rules=MAP * ~NOTFOUND', '--remote-debugging-pipe']
PATIENCE = 90


def find():
    return next(filter(None, map(shutil.which, ('chromium', 'chromium-browser', 'google-chrome'))), None)


class Chromium:
    def __init__(self, program):
        self.folder = tempfile.mkdtemp()
        self.waiting, self.events, self.last = b'', [], 0
        theirs_in, self.to = os.pipe()
        self.fro, theirs_out = os.pipe()

        def place_pipes():  # the browser reads 3 and writes 4
            a, b = os.dup(theirs_in), os.dup(theirs_out)
            os.dup2(a, 3)
            os.dup2(b, 4)

        with open(f'{self.folder}/err', 'wb') as err:
            self.process = subprocess.Popen(
                [program, *ARGUMENTS, f'--user-data-dir={self.folder}/profile', 'about:blank'], preexec_fn=place_pipes,
                close_fds=False, stdin=subprocess.DEVNULL, stdout=err, stderr=err, start_new_session=True)
        os.close(theirs_in)
        os.close(theirs_out)
        self.session = None
        target = self.call('Target.createTarget', url='about:blank')['targetId']
        self.session = self.call('Target.attachToTarget', targetId=target, flatten=True)['sessionId']
        for domain in ('Page', 'Runtime', 'Log'):
            self.call(f'{domain}.enable')

    def close(self):
        try:
            os.killpg(self.process.pid, 9)
        except ProcessLookupError:
            pass
        self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def read(self, deadline):
        while b'\0' not in self.waiting:
            ready, _, _ = select.select([self.fro], [], [], max(0, deadline - time.monotonic()))
            piece = os.read(self.fro, 1 << 20) if ready else b''
            if not piece:
                with open(f'{self.folder}/err', encoding='utf-8', errors='replace') as err:
                    raise RuntimeError('the browser does not answer: ' + err.read()[-300:].replace('\n', ' '))
            self.waiting += piece
        message, self.waiting = self.waiting.split(b'\0', 1)
        return json.loads(message)

    def call(self, method, **params):
        self.last += 1
        message = dict(id=self.last, method=method, params=params)
        if self.session:
            message['sessionId'] = self.session
        os.write(self.to, json.dumps(message).encode() + b'\0')
        deadline = time.monotonic() + PATIENCE
        while True:
            answer = self.read(deadline)
            if answer.get('id') != self.last:
                self.events.append(answer)
                continue
            if 'error' in answer:
                raise RuntimeError(f'{method}: {answer["error"]}')
            return answer['result']

    def complaints(self):
        """What the page's scripts threw, and what the browser has against it."""
        return [json.dumps(event['params'])[:300] for event in self.events
                if event.get('method') in ('Runtime.exceptionThrown', 'Log.entryAdded', 'Page.javascriptDialogOpening')]

    def screen(self, width, height, phone=False, dark=False):
        self.call('Emulation.setDeviceMetricsOverride', width=width, height=height, deviceScaleFactor=1, mobile=phone)
        self.call('Emulation.setTouchEmulationEnabled', enabled=phone)
        self.call('Emulation.setEmulatedMedia',
                  features=[dict(name='prefers-color-scheme', value='dark' if dark else 'light')])

    def visit(self, path):
        self.call('Page.navigate', url=f'file://{path}')
        self.wait('document.readyState === "complete"')

    def run(self, script):
        answer = self.call('Runtime.evaluate', expression=script, returnByValue=True, awaitPromise=True)
        if 'exceptionDetails' in answer:
            raise RuntimeError(f'{script[:80]}: {answer["exceptionDetails"]}'[:600])
        return answer['result'].get('value')

    def wait(self, condition):
        deadline = time.monotonic() + PATIENCE
        while not self.run(condition):
            if time.monotonic() > deadline:
                raise RuntimeError(f'never: {condition}')
            time.sleep(0.05)

    def place(self, selector):
        """The middle of an element, brought into view."""
        box = self.run(f'''(() => {{ const e = document.querySelector({json.dumps(selector)});
            if (!e) return null;
            e.scrollIntoView({{ block: "center", inline: "nearest" }});
            const b = e.getBoundingClientRect(); return [b.left + b.width / 2, b.top + b.height / 2]; }})()''')
        if not box:
            raise RuntimeError(f'{selector} is not there')
        return dict(x=box[0], y=box[1])

    def hover(self, selector):
        self.call('Input.dispatchMouseEvent', type='mouseMoved', **self.place(selector))

    def click(self, selector):
        place = self.place(selector)
        self.call('Input.dispatchMouseEvent', type='mouseMoved', **place)
        for kind in ('mousePressed', 'mouseReleased'):
            self.call('Input.dispatchMouseEvent', type=kind, button='left', clickCount=1, **place)

    def tap(self, selector):
        place = self.place(selector)
        self.call('Input.dispatchTouchEvent', type='touchStart', touchPoints=[place])
        self.call('Input.dispatchTouchEvent', type='touchEnd', touchPoints=[])
        time.sleep(0.1)

    def key(self, name):
        codes = {'Enter': 13, 'Escape': 27, 'Tab': 9, 'ArrowLeft': 37, 'ArrowUp': 38, 'ArrowRight': 39, 'ArrowDown': 40}
        key = dict(key=name, windowsVirtualKeyCode=codes.get(name, ord(name[0].upper())))
        if len(name) == 1:
            key['text'] = name
        elif name == 'Enter':
            key['text'] = '\r'
        self.call('Input.dispatchKeyEvent', type='keyDown', **key)
        self.call('Input.dispatchKeyEvent', type='keyUp', **key)

    def type(self, text):
        for letter in text:
            self.key(letter)

    def picture(self, path, whole=False):
        data = self.call('Page.captureScreenshot', format='png', captureBeyondViewport=whole)['data']
        with open(path, 'wb') as file:
            file.write(base64.b64decode(data))
