document.body.insertAdjacentHTML("beforeend", `<img src="/image/c62828" alt="">`);
